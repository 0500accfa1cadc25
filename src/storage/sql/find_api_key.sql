-- find_api_key: whose a key is and for how much longer, in microseconds, if it is neither revoked nor expired; by the
-- database's clock.
-- $1 text = 'aaaaaaaaaaaa2345' — the key's public part
SELECT tenant_id, agent_id, principal_id, capabilities, secret_hash,
       (extract(epoch FROM expire_time - clock_timestamp()) * 1000000)::bigint AS remaining
FROM api_keys
WHERE key_id = $1 AND revoke_time IS NULL AND (expire_time IS NULL OR expire_time > clock_timestamp())

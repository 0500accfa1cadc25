-- revoke_api_key: revokes a key, once; answers when it was, and whether that was before. As the schema's owner.
-- $1 text = 'aaaaaaaaaaaa2345' — the key's public part
WITH before AS (SELECT key_id, revoke_time FROM api_keys WHERE key_id = $1 FOR NO KEY UPDATE)
UPDATE api_keys AS k
SET revoke_time = coalesce(before.revoke_time, greatest(clock_timestamp(), k.create_time))
FROM before
WHERE k.key_id = before.key_id
RETURNING k.tenant_id, k.revoke_time, before.revoke_time IS NOT NULL AS was_revoked

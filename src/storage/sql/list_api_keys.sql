-- list_api_keys: keys of a tenant or of all, the oldest first; without their hashes. As the schema's owner, for people.
-- $1 text = 'tenant-001' — of this tenant, or null for all
-- $2 boolean = false — whether to show revoked and expired ones too
SELECT key_id, tenant_id, agent_id, principal_id, capabilities, description, create_time, expire_time, revoke_time,
       last_use_time, coalesce(expire_time <= clock_timestamp(), false) AS is_expired
FROM api_keys
WHERE ($1::text IS NULL OR tenant_id = $1)
  AND ($2 OR revoke_time IS NULL AND (expire_time IS NULL OR expire_time > clock_timestamp()))
ORDER BY tenant_id, create_time, key_id

-- insert_api_key: a new key. As the schema's owner.
-- $1 text = 'zzzzzzzzzzzz2345' — its public part
-- $2 text = 'tenant-001' — the tenant
-- $3 text = 'agent-1' — the agent
-- $4 text = 'agent-1' — the principal
-- $5 text[] = ARRAY['memory:read'] — what its holder may do
-- $6 bytea = decode(repeat('00', 32), 'hex') — SHA-256 of the secret
-- $7 text = 'the importer' — what it is for, or null
-- $8 bigint = 3600 — seconds until it expires, or null
INSERT INTO api_keys (key_id, tenant_id, agent_id, principal_id, capabilities, secret_hash, description, create_time,
                      expire_time)
VALUES ($1, $2, $3, $4, $5, $6, $7, now(), now() + $8 * interval '1 second')

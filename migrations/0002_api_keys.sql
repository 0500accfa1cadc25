-- API keys: who calls with one, and what it may do. The secret itself is nowhere; the hash of a full-entropy secret is.
--
-- Binaries of version 1 know nothing of this table and still work on the schema.

CREATE TABLE api_keys (
    key_id        text        PRIMARY KEY CHECK (key_id ~ '^[a-z2-7]{16}$'),
    tenant_id     text        NOT NULL CHECK (char_length(tenant_id) BETWEEN 1 AND 128),
    agent_id      text        NOT NULL
                  CHECK (char_length(agent_id) BETWEEN 1 AND 128 AND NOT starts_with(agent_id, 'system:')),
    principal_id  text        NOT NULL
                  CHECK (char_length(principal_id) BETWEEN 1 AND 128 AND NOT starts_with(principal_id, 'system:')),
    capabilities  text[]      NOT NULL,
    secret_hash   bytea       NOT NULL CHECK (octet_length(secret_hash) = 32),
    description   text        CHECK (char_length(description) BETWEEN 1 AND 256),
    create_time   timestamptz NOT NULL,
    expire_time   timestamptz,
    revoke_time   timestamptz,
    last_use_time timestamptz,
    CONSTRAINT api_keys_capabilities_check CHECK (
        coalesce(array_ndims(capabilities), 0) = 1
        AND capabilities <@ ARRAY['memory:read', 'memory:write', 'memory:erase', 'memory:hold', 'memory:admin',
                                  'audit:read']),
    CONSTRAINT api_keys_expire_check CHECK (expire_time > create_time),
    CONSTRAINT api_keys_revoke_check CHECK (revoke_time >= create_time)
);
COMMENT ON TABLE api_keys IS 'API keys. The one table whose key the tenant does not lead: a key is looked up before its tenant is known. It is small, and read once in a while only.';
COMMENT ON COLUMN api_keys.key_id IS 'The public part of the key, unique everywhere.';
COMMENT ON COLUMN api_keys.tenant_id IS 'The tenant that its holder belongs to.';
COMMENT ON COLUMN api_keys.agent_id IS 'The agent that its holder acts as.';
COMMENT ON COLUMN api_keys.principal_id IS 'Its holder''s name in the audit log.';
COMMENT ON COLUMN api_keys.capabilities IS 'What its holder may do, by the capabilities'' names.';
COMMENT ON COLUMN api_keys.secret_hash IS 'SHA-256 of the secret part of the key.';
COMMENT ON COLUMN api_keys.description IS 'What whoever made it wrote of it; null: nothing.';
COMMENT ON COLUMN api_keys.create_time IS 'When it was made.';
COMMENT ON COLUMN api_keys.expire_time IS 'From when on it is no longer accepted; null: it does not expire.';
COMMENT ON COLUMN api_keys.revoke_time IS 'When it was revoked; null: it was not.';
COMMENT ON COLUMN api_keys.last_use_time IS 'When it was last used, to about a minute; null: never.';
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, create_time, key_id);

UPDATE schema_version SET version = 2;

-- The first schema: tenants and their heads, memories and their contents, the audit log, operations.
--
-- tenant_id leads every key and index, and no statement of the hot path joins tenants, so that the schema can
-- be distributed by it. There is no foreign key to tenants: every write of a tenant holds its head row, so the
-- row is there, and a check per written row would touch the one row that all writes of a tenant already share.

CREATE TABLE schema_version (
    only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version          integer NOT NULL,
    oldest_supported integer NOT NULL CHECK (oldest_supported <= version)
);
COMMENT ON TABLE schema_version IS 'What this schema is, and which binaries may use it. One row.';
COMMENT ON COLUMN schema_version.only_row IS 'Always true: keeps the table to one row.';
COMMENT ON COLUMN schema_version.version IS 'The number of the newest migration.';
COMMENT ON COLUMN schema_version.oldest_supported IS 'The oldest version whose binaries still work on this schema.';
INSERT INTO schema_version (version, oldest_supported) VALUES (1, 1);

CREATE TABLE tenants (
    tenant_id     text        PRIMARY KEY CHECK (char_length(tenant_id) BETWEEN 1 AND 128),
    head_sequence bigint      NOT NULL DEFAULT 0 CHECK (head_sequence >= 0),
    head_hash     bytea       NOT NULL DEFAULT decode(repeat('00', 32), 'hex') CHECK (octet_length(head_hash) = 32),
    last_time     timestamptz,
    create_time   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((head_sequence = 0) = (last_time IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE tenants IS 'One head a tenant: the end of its audit log. Every write of the tenant locks this row first.';
COMMENT ON COLUMN tenants.tenant_id IS 'The tenant, as the credential names it.';
COMMENT ON COLUMN tenants.head_sequence IS 'The sequence of the last audit record; 0 when there is none.';
COMMENT ON COLUMN tenants.head_hash IS 'The hash of the last audit record; 32 zero bytes when there is none.';
COMMENT ON COLUMN tenants.last_time IS 'The time of the last audit record; no later record is before it.';
COMMENT ON COLUMN tenants.create_time IS 'When the tenant first wrote.';

CREATE TABLE graphs (
    tenant_id   text        NOT NULL,
    graph_id    text        NOT NULL CHECK (char_length(graph_id) BETWEEN 1 AND 128),
    create_time timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, graph_id)
);
COMMENT ON TABLE graphs IS 'The graphs that something was ever put into. The graph "default" exists without a row.';
COMMENT ON COLUMN graphs.tenant_id IS 'The tenant.';
COMMENT ON COLUMN graphs.graph_id IS 'The graph''s name; it stays once it exists.';
COMMENT ON COLUMN graphs.create_time IS 'When something was first put into it.';

CREATE TABLE memories (
    tenant_id           text        NOT NULL,
    memory_key          bigint      NOT NULL CHECK (memory_key > 0),
    memory_id           text        NOT NULL CHECK (char_length(memory_id) BETWEEN 1 AND 128),
    subject_id          text        CHECK (char_length(subject_id) BETWEEN 1 AND 128),
    agent_id            text        NOT NULL CHECK (char_length(agent_id) BETWEEN 1 AND 128),
    graph_id            text        NOT NULL,
    kind                smallint    NOT NULL CHECK (kind BETWEEN 1 AND 4),
    origin              smallint    NOT NULL CHECK (origin IN (1, 2)),
    import_id           text        CHECK (char_length(import_id) BETWEEN 1 AND 128),
    memory_date         date        NOT NULL,
    state               smallint    NOT NULL CHECK (state IN (1, 2)),
    version             bigint      NOT NULL,
    create_time         timestamptz NOT NULL,
    update_time         timestamptz NOT NULL,
    forget_time         timestamptz,
    purge_time          timestamptz,
    forget_operation_id uuid,
    PRIMARY KEY (tenant_id, memory_key),
    CONSTRAINT memories_memory_id_key UNIQUE (tenant_id, memory_id),
    CONSTRAINT memories_version_check CHECK (version >= memory_key),
    CONSTRAINT memories_import_check CHECK (origin = 2 OR import_id IS NULL),
    CONSTRAINT memories_active_check CHECK (
        state <> 1 OR (forget_time IS NULL AND purge_time IS NULL AND forget_operation_id IS NULL)),
    CONSTRAINT memories_archived_check CHECK (
        state <> 2 OR (forget_time IS NOT NULL AND forget_operation_id IS NOT NULL
                       AND update_time = forget_time AND (purge_time IS NULL OR purge_time > forget_time)))
);
COMMENT ON TABLE memories IS 'What is remembered, without what it says. An erased memory has no row.';
COMMENT ON COLUMN memories.tenant_id IS 'The tenant.';
COMMENT ON COLUMN memories.memory_key IS 'The internal key: the sequence of the audit record that saved it, so never used again.';
COMMENT ON COLUMN memories.memory_id IS 'The label callers use; free again after erasure.';
COMMENT ON COLUMN memories.subject_id IS 'The person or thing remembered; null: none.';
COMMENT ON COLUMN memories.agent_id IS 'Who wrote it: its owner.';
COMMENT ON COLUMN memories.graph_id IS 'The graph it lives in.';
COMMENT ON COLUMN memories.kind IS '1 memory, 2 to-do, 3 ledger entry, 4 settled fact.';
COMMENT ON COLUMN memories.origin IS '1 saved by a call of its own, 2 imported.';
COMMENT ON COLUMN memories.import_id IS 'The import that brought it; null: saved, or imported before import ids.';
COMMENT ON COLUMN memories.memory_date IS 'The day it belongs to, UTC.';
COMMENT ON COLUMN memories.state IS '1 active, 2 archived.';
COMMENT ON COLUMN memories.version IS 'The audit sequence of its last change; the etag is made of it.';
COMMENT ON COLUMN memories.create_time IS 'When it was saved, or when the store it was moved from said so.';
COMMENT ON COLUMN memories.update_time IS 'When it last changed.';
COMMENT ON COLUMN memories.forget_time IS 'When it was archived; null while active.';
COMMENT ON COLUMN memories.purge_time IS 'When it is erased; set at archiving, never moved; null while active or kept for ever.';
COMMENT ON COLUMN memories.forget_operation_id IS 'The operation that archived it; null while active.';
CREATE INDEX memories_by_agent ON memories (tenant_id, agent_id, create_time DESC, memory_key DESC);
CREATE INDEX memories_by_time ON memories (tenant_id, create_time DESC, memory_key DESC);
CREATE INDEX memories_by_forget_operation ON memories (tenant_id, forget_operation_id) WHERE state = 2;
CREATE INDEX memories_by_purge_time ON memories (tenant_id, purge_time) WHERE state = 2;

CREATE TABLE memory_contents (
    tenant_id             text     NOT NULL,
    memory_key            bigint   NOT NULL,
    content               text     NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 65536),
    metadata              bytea    CHECK (octet_length(metadata) <= 262144),
    normalized            text     NOT NULL,
    normalization_version smallint NOT NULL,
    PRIMARY KEY (tenant_id, memory_key),
    FOREIGN KEY (tenant_id, memory_key) REFERENCES memories (tenant_id, memory_key)
);
COMMENT ON TABLE memory_contents IS 'What memories say. Apart from them, so that a soft forget rewrites a small row.';
COMMENT ON COLUMN memory_contents.tenant_id IS 'The tenant.';
COMMENT ON COLUMN memory_contents.memory_key IS 'The memory.';
COMMENT ON COLUMN memory_contents.content IS 'The text as it was saved.';
COMMENT ON COLUMN memory_contents.metadata IS 'The attachment as encoded google.protobuf.Struct; null: none.';
COMMENT ON COLUMN memory_contents.normalized IS 'The text as the text rules normalise it.';
COMMENT ON COLUMN memory_contents.normalization_version IS 'The version of the text rules that normalised it.';

CREATE TABLE audit_records (
    tenant_id     text        NOT NULL,
    sequence      bigint      NOT NULL CHECK (sequence > 0),
    operation_id  uuid        NOT NULL,
    memory_id     text        NOT NULL,
    action        smallint    NOT NULL,
    from_state    smallint    NOT NULL,
    to_state      smallint    NOT NULL,
    principal_id  text        NOT NULL,
    agent_id      text        NOT NULL,
    reason_digest bytea       CHECK (octet_length(reason_digest) = 32),
    channel       text,
    request_id    uuid,
    trace_id      text,
    commit_time   timestamptz NOT NULL,
    mode          smallint    NOT NULL,
    graph_id      text        NOT NULL,
    import_id     text,
    kind          smallint    NOT NULL CHECK (kind BETWEEN 1 AND 4),
    previous_hash bytea       NOT NULL CHECK (octet_length(previous_hash) = 32),
    hash          bytea       NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (tenant_id, sequence),
    CONSTRAINT audit_records_mode_check CHECK (
        (action = 2 AND mode = 1) OR (action = 3 AND mode = 2) OR (action NOT IN (2, 3) AND mode = 0)),
    CONSTRAINT audit_records_transition_check CHECK (
        CASE action WHEN 1 THEN from_state = 0 AND to_state = 1
                    WHEN 2 THEN from_state = 1 AND to_state = 2
                    WHEN 3 THEN from_state IN (1, 2) AND to_state = 4
                    WHEN 4 THEN from_state = 2 AND to_state = 1
                    WHEN 5 THEN from_state = 2 AND to_state = 4
                    WHEN 12 THEN from_state = 1 AND to_state = 1
                    ELSE false END)
);
COMMENT ON TABLE audit_records IS 'One record a state transition, hash-chained per tenant. Only ever added to.';
COMMENT ON COLUMN audit_records.tenant_id IS 'The tenant.';
COMMENT ON COLUMN audit_records.sequence IS 'The place in the tenant''s log: from 1, no gaps, in commit order.';
COMMENT ON COLUMN audit_records.operation_id IS 'The operation that did it.';
COMMENT ON COLUMN audit_records.memory_id IS 'The memory''s label at the time.';
COMMENT ON COLUMN audit_records.action IS 'What happened, by the contract''s number.';
COMMENT ON COLUMN audit_records.from_state IS 'The state before, by the contract''s number; 0: there was no memory.';
COMMENT ON COLUMN audit_records.to_state IS 'The state after, by the contract''s number.';
COMMENT ON COLUMN audit_records.principal_id IS 'Who called.';
COMMENT ON COLUMN audit_records.agent_id IS 'Whose memory it is.';
COMMENT ON COLUMN audit_records.reason_digest IS 'SHA-256 of salt and reason; null: no reason was given.';
COMMENT ON COLUMN audit_records.channel IS 'Context the caller gave; null: none.';
COMMENT ON COLUMN audit_records.request_id IS 'The caller''s name for the call; null: none.';
COMMENT ON COLUMN audit_records.trace_id IS 'The trace the call belonged to, 32 hexadecimal digits; null: none.';
COMMENT ON COLUMN audit_records.commit_time IS 'The database''s clock, read under the tenant''s lock.';
COMMENT ON COLUMN audit_records.mode IS 'The forget mode, by the contract''s number; 0: not a forget.';
COMMENT ON COLUMN audit_records.graph_id IS 'The memory''s graph.';
COMMENT ON COLUMN audit_records.import_id IS 'The import that brought the memory; null: none.';
COMMENT ON COLUMN audit_records.kind IS 'What kind of memory it is: records of settled facts are shown to administrators only. Not part of the hash.';
COMMENT ON COLUMN audit_records.previous_hash IS 'The hash of the record before.';
COMMENT ON COLUMN audit_records.hash IS 'SHA-256 of previous_hash and this record''s canonical encoding.';
CREATE INDEX audit_records_by_memory ON audit_records (tenant_id, memory_id, sequence);
CREATE INDEX audit_records_by_agent ON audit_records (tenant_id, agent_id, sequence);
CREATE INDEX audit_records_by_other_principal ON audit_records (tenant_id, principal_id, sequence)
    WHERE principal_id <> agent_id;
CREATE INDEX audit_records_by_time ON audit_records (tenant_id, commit_time, sequence);

CREATE TABLE operations (
    tenant_id        text        NOT NULL,
    operation_id     uuid        NOT NULL,
    method           text        NOT NULL,
    principal_id     text        NOT NULL,
    agent_id         text        NOT NULL,
    request_id       uuid,
    channel          text,
    commit_time      timestamptz NOT NULL,
    first_sequence   bigint      NOT NULL,
    last_sequence    bigint      NOT NULL,
    answer           json        NOT NULL,
    PRIMARY KEY (tenant_id, operation_id),
    CHECK ((first_sequence = 0 AND last_sequence = 0) OR (first_sequence > 0 AND last_sequence >= first_sequence))
);
COMMENT ON TABLE operations IS 'Every call that was answered OK, with its answer; and every expiry.';
COMMENT ON COLUMN operations.tenant_id IS 'The tenant.';
COMMENT ON COLUMN operations.operation_id IS 'The call''s name.';
COMMENT ON COLUMN operations.method IS 'The RPC by its full name, or memorylifecycle.v1.Expiry.';
COMMENT ON COLUMN operations.principal_id IS 'Who called.';
COMMENT ON COLUMN operations.agent_id IS 'As which agent.';
COMMENT ON COLUMN operations.request_id IS 'The caller''s name for the call; null: none. Kept when the name itself is out of its time.';
COMMENT ON COLUMN operations.channel IS 'Context the caller gave; null: none.';
COMMENT ON COLUMN operations.commit_time IS 'The time of its last audit record, or of the decision when nothing changed.';
COMMENT ON COLUMN operations.first_sequence IS 'Its first audit record; 0 when nothing changed.';
COMMENT ON COLUMN operations.last_sequence IS 'Its last audit record; 0 when nothing changed.';
COMMENT ON COLUMN operations.answer IS 'What it answered: ids, outcomes and counters, never content.';
CREATE INDEX operations_by_principal ON operations (tenant_id, principal_id, commit_time DESC, operation_id DESC);

CREATE TABLE operation_reasons (
    tenant_id    text  NOT NULL,
    operation_id uuid  NOT NULL,
    salt         bytea NOT NULL CHECK (octet_length(salt) = 16),
    reason       text  NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 512),
    PRIMARY KEY (tenant_id, operation_id)
);
COMMENT ON TABLE operation_reasons IS 'Why, in the callers'' words. Rows can be deleted; the audit chain still verifies.';
COMMENT ON COLUMN operation_reasons.tenant_id IS 'The tenant.';
COMMENT ON COLUMN operation_reasons.operation_id IS 'The operation.';
COMMENT ON COLUMN operation_reasons.salt IS 'Random bytes that keep the digest in the audit log from being guessed.';
COMMENT ON COLUMN operation_reasons.reason IS 'The text.';

CREATE TABLE requests (
    tenant_id    text        NOT NULL,
    principal_id text        NOT NULL,
    request_id   uuid        NOT NULL,
    digest       bytea       NOT NULL CHECK (octet_length(digest) = 32),
    operation_id uuid        NOT NULL,
    create_time  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal_id, request_id)
);
COMMENT ON TABLE requests IS 'The callers'' own names for calls that were answered, kept 30 days.';
COMMENT ON COLUMN requests.tenant_id IS 'The tenant.';
COMMENT ON COLUMN requests.principal_id IS 'Who called.';
COMMENT ON COLUMN requests.request_id IS 'The caller''s name for the call.';
COMMENT ON COLUMN requests.digest IS 'SHA-256 of what was asked under it.';
COMMENT ON COLUMN requests.operation_id IS 'The operation that answered it.';
COMMENT ON COLUMN requests.create_time IS 'When it was answered.';
CREATE INDEX requests_by_time ON requests (tenant_id, create_time);

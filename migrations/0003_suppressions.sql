-- Suppressions: what somebody asked never to hear again; and the indexes by which sets of memories are found.
--
-- Binaries of versions 1 and 2 know nothing of suppressions: they would save and recall what is suppressed, and change contents
-- without their fingerprints. So this schema does not support them, and they answer UNAVAILABLE until they are replaced. What they
-- saved before has no fingerprint; the sweeper of a newer binary adds it, and until then suppresses nothing in that tenant.

CREATE TABLE suppressions (
    tenant_id      text        NOT NULL,
    suppression_id uuid        NOT NULL,
    fingerprint    bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    by_admin       boolean     NOT NULL,
    memory_id      text        NOT NULL CHECK (char_length(memory_id) BETWEEN 1 AND 128),
    subject_id     text        CHECK (char_length(subject_id) BETWEEN 1 AND 128),
    agent_id       text        NOT NULL CHECK (char_length(agent_id) BETWEEN 1 AND 128),
    graph_id       text        NOT NULL CHECK (char_length(graph_id) BETWEEN 1 AND 128),
    kind           smallint    NOT NULL CHECK (kind BETWEEN 1 AND 4),
    import_id      text        CHECK (char_length(import_id) BETWEEN 1 AND 128),
    operation_id   uuid        NOT NULL,
    principal_id   text        NOT NULL CHECK (char_length(principal_id) BETWEEN 1 AND 128),
    create_time    timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, suppression_id),
    CONSTRAINT suppressions_fingerprint_key UNIQUE (tenant_id, fingerprint)
);
CREATE INDEX suppressions_by_time ON suppressions (tenant_id, create_time DESC, suppression_id DESC);
COMMENT ON TABLE suppressions IS 'Suppressions that stand: a content of a subject that is neither recalled nor saved, one a content. Lifted, the row goes.';
COMMENT ON COLUMN suppressions.tenant_id IS 'The tenant.';
COMMENT ON COLUMN suppressions.suppression_id IS 'Its name, unique in the tenant.';
COMMENT ON COLUMN suppressions.fingerprint IS 'HMAC-SHA-256 of subject and normalised content under a key of the tenant''s that is derived from the service''s.';
COMMENT ON COLUMN suppressions.by_admin IS 'Whether somebody with memory:admin made it: only then are settled facts suppressed too.';
COMMENT ON COLUMN suppressions.memory_id IS 'The label of the memory that was forgotten.';
COMMENT ON COLUMN suppressions.subject_id IS 'Whom or what that memory was about; null: it had no subject.';
COMMENT ON COLUMN suppressions.agent_id IS 'Whose memory that was.';
COMMENT ON COLUMN suppressions.graph_id IS 'The graph that memory was in.';
COMMENT ON COLUMN suppressions.kind IS 'That memory''s kind, by the number that memories.kind uses.';
COMMENT ON COLUMN suppressions.import_id IS 'The import that brought that memory; null: none, or one older than import ids.';
COMMENT ON COLUMN suppressions.operation_id IS 'The operation that made it.';
COMMENT ON COLUMN suppressions.principal_id IS 'Who called that operation.';
COMMENT ON COLUMN suppressions.create_time IS 'When it was made.';

ALTER TABLE memory_contents ADD COLUMN fingerprint bytea CHECK (octet_length(fingerprint) = 32);
COMMENT ON COLUMN memory_contents.fingerprint IS 'HMAC-SHA-256 of subject and normalised content, as in suppressions; null: saved by a binary that knew nothing of it; the sweeper adds it.';
CREATE INDEX memory_contents_by_fingerprint ON memory_contents (tenant_id, fingerprint);
CREATE INDEX memory_contents_without_fingerprint ON memory_contents (tenant_id, memory_key) WHERE fingerprint IS NULL;

ALTER TABLE audit_records ADD COLUMN cause smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN audit_records.cause IS 'Why a memory was forgotten: 0 nothing was forgotten, or the record is from before causes were kept, 1 correction, 2 somebody asked for it.';
ALTER TABLE audit_records ADD COLUMN suppression_id uuid;
COMMENT ON COLUMN audit_records.suppression_id IS 'The suppression that was made or lifted.';
ALTER TABLE audit_records DROP CONSTRAINT audit_records_transition_check;
ALTER TABLE audit_records ADD CONSTRAINT audit_records_transition_check CHECK (
    CASE action WHEN 1 THEN from_state = 0 AND to_state = 1
                WHEN 2 THEN from_state = 1 AND to_state = 2
                WHEN 3 THEN from_state IN (1, 2) AND to_state = 4
                WHEN 4 THEN from_state = 2 AND to_state = 1
                WHEN 5 THEN from_state = 2 AND to_state = 4
                WHEN 6 THEN from_state = 0 AND to_state = 0
                WHEN 7 THEN from_state = 0 AND to_state = 0
                WHEN 12 THEN from_state = 1 AND to_state = 1
                ELSE false END);
ALTER TABLE audit_records ADD CONSTRAINT audit_records_cause_check CHECK (
    CASE WHEN action IN (2, 3) THEN cause IN (0, 1, 2)
         WHEN action = 6 THEN cause = 2
         ELSE cause = 0 END);
ALTER TABLE audit_records ADD CONSTRAINT audit_records_suppression_check CHECK (
    (suppression_id IS NOT NULL) = (action IN (6, 7)));

CREATE INDEX audit_records_by_import ON audit_records (tenant_id, import_id) WHERE action = 1 AND import_id IS NOT NULL;
CREATE INDEX memories_by_import ON memories (tenant_id, import_id) WHERE import_id IS NOT NULL;

ALTER TABLE operations ADD COLUMN other_records bigint NOT NULL DEFAULT 0 CHECK (other_records >= 0);
COMMENT ON COLUMN operations.other_records IS 'How many of its audit records changed no memory: those of suppressions.';

UPDATE schema_version SET version = 3, oldest_supported = 3;

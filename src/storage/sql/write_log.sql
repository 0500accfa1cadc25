-- write_log: the last statement before COMMIT, of every batch that changes something. Changes memories, adds the
-- records, the operations and what belongs to them, and moves the heads: all at once, since a round trip a table
-- costs more than the rows do. Writes only over the versions, and moves only from the sequences, that were decided
-- on; answers how many of either it found, and unless that is all of them the transaction must not commit.
-- Changed memories:
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[1] — key
-- $3 bigint[] = ARRAY[1] — the version that was loaded
-- $4 bigint[] = ARRAY[900001] — new version
-- $5 smallint[] = ARRAY[1] — state
-- $6 timestamptz[] = ARRAY[now()] — last changed
-- $7 timestamptz[] = ARRAY[NULL] — archived
-- $8 timestamptz[] = ARRAY[NULL] — to be erased
-- $9 uuid[] = ARRAY[NULL] — archived by
-- New audit records:
-- $10 text[] = ARRAY['tenant-001'] — tenant
-- $11 bigint[] = ARRAY[900001] — sequence
-- $12 uuid[] = ARRAY['00000000-0000-7000-8000-000000000001'::uuid] — operation
-- $13 text[] = ARRAY['memory-00001'] — label
-- $14 smallint[] = ARRAY[2] — action
-- $15 smallint[] = ARRAY[1] — state before
-- $16 smallint[] = ARRAY[2] — state after
-- $17 text[] = ARRAY['agent-1'] — who called
-- $18 text[] = ARRAY['agent-1'] — whose memory
-- $19 bytea[] = ARRAY[NULL] — digest of the reason
-- $20 text[] = ARRAY[NULL] — channel
-- $21 uuid[] = ARRAY[NULL] — request id
-- $22 text[] = ARRAY[NULL] — trace
-- $23 timestamptz[] = ARRAY[now()] — when
-- $24 smallint[] = ARRAY[1] — mode
-- $25 text[] = ARRAY['default'] — graph
-- $26 text[] = ARRAY[NULL] — import
-- $27 smallint[] = ARRAY[1] — kind
-- $28 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — hash before
-- $29 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — hash
-- $30 smallint[] = ARRAY[1] — cause
-- $31 uuid[] = ARRAY[NULL] — suppression
-- New operations:
-- $32 text[] = ARRAY['tenant-001'] — tenant
-- $33 uuid[] = ARRAY['00000000-0000-7000-8000-00000000ffff'::uuid] — operation
-- $34 text[] = ARRAY['m'] — method
-- $35 text[] = ARRAY['agent-1'] — who called
-- $36 text[] = ARRAY['agent-1'] — as which agent
-- $37 uuid[] = ARRAY[NULL] — request id
-- $38 text[] = ARRAY[NULL] — channel
-- $39 timestamptz[] = ARRAY[now()] — when
-- $40 bigint[] = ARRAY[0] — first record
-- $41 bigint[] = ARRAY[0] — last record
-- $42 text[] = ARRAY['{}'] — the answer as JSON
-- $43 bigint[] = ARRAY[0] — records that changed no memory
-- Reasons of new operations:
-- $44 text[] = ARRAY['tenant-001'] — tenant
-- $45 uuid[] = ARRAY['00000000-0000-7000-8000-00000000ffff'::uuid] — operation
-- $46 bytea[] = ARRAY[decode(repeat('00', 16), 'hex')] — salt
-- $47 text[] = ARRAY['reason'] — reason
-- Request ids of new operations:
-- $48 text[] = ARRAY['tenant-001'] — tenant
-- $49 text[] = ARRAY['agent-1'] — who called
-- $50 uuid[] = ARRAY['00000000-0000-4000-8000-00000000ffff'::uuid] — request id
-- $51 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — digest of what was asked
-- $52 uuid[] = ARRAY['00000000-0000-7000-8000-00000000ffff'::uuid] — operation
-- $53 timestamptz[] = ARRAY[now()] — when
-- Heads:
-- $54 text[] = ARRAY['tenant-001'] — tenant
-- $55 bigint[] = ARRAY[0] — where the head was read
-- $56 bigint[] = ARRAY[1] — sequence of the last record
-- $57 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — hash of the last record
-- $58 timestamptz[] = ARRAY[now()] — time of the last record
WITH changed_memories AS (
    -- Memories whose state or version changed.
    UPDATE memories AS m
    SET version = changed.version, state = changed.state, update_time = changed.update_time,
        forget_time = changed.forget_time, purge_time = changed.purge_time,
        forget_operation_id = changed.forget_operation_id
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::timestamptz[],
                $7::timestamptz[], $8::timestamptz[], $9::uuid[])
         AS changed (tenant_id, memory_key, stored_version, version, state, update_time, forget_time, purge_time,
                     forget_operation_id)
    WHERE m.tenant_id = changed.tenant_id AND m.memory_key = changed.memory_key
      AND m.version = changed.stored_version
    RETURNING 1
), new_records AS (
    -- The transitions, each tenant's in order.
    INSERT INTO audit_records (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state,
                               principal_id, agent_id, reason_digest, channel, request_id, trace_id, commit_time,
                               mode, graph_id, import_id, kind, previous_hash, hash, cause, suppression_id)
    SELECT * FROM unnest($10::text[], $11::bigint[], $12::uuid[], $13::text[], $14::smallint[], $15::smallint[],
                         $16::smallint[], $17::text[], $18::text[], $19::bytea[], $20::text[], $21::uuid[],
                         $22::text[], $23::timestamptz[], $24::smallint[], $25::text[], $26::text[],
                         $27::smallint[], $28::bytea[], $29::bytea[], $30::smallint[], $31::uuid[])
         AS added (tenant_id, sequence, operation_id, memory_id, action, from_state, to_state, principal_id,
                   agent_id, reason_digest, channel, request_id, trace_id, commit_time, mode, graph_id, import_id,
                   kind, previous_hash, hash, cause, suppression_id)
), new_operations AS (
    -- The calls that are answered OK, and the expiries.
    INSERT INTO operations (tenant_id, operation_id, method, principal_id, agent_id, request_id, channel, commit_time,
                            first_sequence, last_sequence, answer, other_records)
    SELECT tenant_id, operation_id, method, principal_id, agent_id, request_id, channel, commit_time, first_sequence,
           last_sequence, answer::json, other_records
    FROM unnest($32::text[], $33::uuid[], $34::text[], $35::text[], $36::text[], $37::uuid[], $38::text[],
                $39::timestamptz[], $40::bigint[], $41::bigint[], $42::text[], $43::bigint[])
         AS added (tenant_id, operation_id, method, principal_id, agent_id, request_id, channel, commit_time,
                   first_sequence, last_sequence, answer, other_records)
), new_reasons AS (
    -- Why, for the operations that said so.
    INSERT INTO operation_reasons (tenant_id, operation_id, salt, reason)
    SELECT * FROM unnest($44::text[], $45::uuid[], $46::bytea[], $47::text[])
         AS added (tenant_id, operation_id, salt, reason)
), new_requests AS (
    -- The callers' own names for the calls.
    INSERT INTO requests (tenant_id, principal_id, request_id, digest, operation_id, create_time)
    SELECT * FROM unnest($48::text[], $49::text[], $50::uuid[], $51::bytea[], $52::uuid[], $53::timestamptz[])
         AS added (tenant_id, principal_id, request_id, digest, operation_id, create_time)
), moved_heads AS (
    -- The heads that are held, from where they were read.
    UPDATE tenants AS t
    SET head_sequence = moved.head_sequence, head_hash = moved.head_hash, last_time = moved.last_time
    FROM unnest($54::text[], $55::bigint[], $56::bigint[], $57::bytea[], $58::timestamptz[])
         AS moved (tenant_id, read_sequence, head_sequence, head_hash, last_time)
    WHERE t.tenant_id = moved.tenant_id AND t.head_sequence = moved.read_sequence
    RETURNING 1
)
SELECT (SELECT count(*) FROM changed_memories) AS memories, (SELECT count(*) FROM moved_heads) AS heads

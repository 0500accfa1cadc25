-- insert_requests: the callers' own names for the calls of a batch.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 text[] = ARRAY['agent-1'] — who called
-- $3 uuid[] = ARRAY['00000000-0000-4000-8000-00000000ffff'::uuid] — request id
-- $4 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — digest of what was asked
-- $5 uuid[] = ARRAY['00000000-0000-7000-8000-00000000ffff'::uuid] — operation
-- $6 timestamptz[] = ARRAY[now()] — when
INSERT INTO requests (tenant_id, principal_id, request_id, digest, operation_id, create_time)
SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::bytea[], $5::uuid[], $6::timestamptz[])
     AS added (tenant_id, principal_id, request_id, digest, operation_id, create_time)

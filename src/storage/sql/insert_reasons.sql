-- insert_reasons: why, for the operations of a batch that said so.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 uuid[] = ARRAY['00000000-0000-7000-8000-00000000ffff'::uuid] — operation
-- $3 bytea[] = ARRAY[decode(repeat('00', 16), 'hex')] — salt
-- $4 text[] = ARRAY['reason'] — reason
INSERT INTO operation_reasons (tenant_id, operation_id, salt, reason)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[], $4::text[])
     AS added (tenant_id, operation_id, salt, reason)

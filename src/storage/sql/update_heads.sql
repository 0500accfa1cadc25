-- update_heads: the last statement before COMMIT. Moves the heads that are held, from where they were read;
-- touches as many rows as heads were given, or the transaction must not commit.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 bigint[] = ARRAY[0] — where the head was read
-- $3 bigint[] = ARRAY[1] — sequence of the last record
-- $4 bytea[] = ARRAY[decode(repeat('00', 32), 'hex')] — hash of the last record
-- $5 timestamptz[] = ARRAY[now()] — time of the last record
UPDATE tenants AS t
SET head_sequence = moved.head_sequence, head_hash = moved.head_hash, last_time = moved.last_time
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[], $5::timestamptz[])
     AS moved (tenant_id, read_sequence, head_sequence, head_hash, last_time)
WHERE t.tenant_id = moved.tenant_id AND t.head_sequence = moved.read_sequence

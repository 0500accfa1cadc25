-- note_api_key_uses: when keys were last used; a time never goes back. A row that somebody holds is passed over: as a rule
-- another replica that notes the same.
-- $1 text[] = ARRAY['aaaaaaaaaaaa2345'] — the keys' public parts
-- $2 bigint[] = ARRAY[1000000] — how long ago each was used, in microseconds
WITH used AS (
    SELECT k.key_id, u.age
    FROM unnest($1::text[], $2::bigint[]) AS u (key_id, age)
    JOIN api_keys AS k ON k.key_id = u.key_id
    ORDER BY k.key_id
    FOR NO KEY UPDATE OF k SKIP LOCKED)
UPDATE api_keys AS k
SET last_use_time = greatest(k.last_use_time, clock_timestamp() - used.age * interval '1 microsecond')
FROM used
WHERE k.key_id = used.key_id

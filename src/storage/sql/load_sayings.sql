-- load_sayings: what memories say as far as it matters to who forgets or restores them: the fingerprint, the normalised
-- text where there is no fingerprint yet, and, where they are to be looked for afterwards, how it begins.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each key
-- $2 bigint[] = ARRAY[1] — the keys
-- $3 boolean[] = ARRAY[true] — whether it is to be looked for
-- $4 integer = 512 — as many characters as will do; eight times as many, if they are all one word
SELECT c.tenant_id, c.memory_key, c.fingerprint,
       CASE WHEN c.fingerprint IS NULL THEN c.normalized END AS unprinted,
       CASE WHEN wanted.sought AND strpos(left(c.normalized, $4), ' ') > 0 THEN left(c.normalized, $4)
            WHEN wanted.sought THEN left(c.normalized, 8 * $4) END AS beginning,
       strpos(left(c.normalized, $4), ' ') = 0 OR char_length(c.normalized) <= $4 AS is_whole
FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS wanted (tenant_id, memory_key, sought)
JOIN memory_contents AS c ON c.tenant_id = wanted.tenant_id AND c.memory_key = wanted.memory_key

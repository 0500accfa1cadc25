-- insert_operations: the calls of a batch that are answered OK, and its expiries.
-- $1 text[] = ARRAY['tenant-001'] — tenant
-- $2 uuid[] = ARRAY['00000000-0000-7000-8000-00000000ffff'::uuid] — operation
-- $3 text[] = ARRAY['m'] — method
-- $4 text[] = ARRAY['agent-1'] — who called
-- $5 text[] = ARRAY['agent-1'] — as which agent
-- $6 uuid[] = ARRAY[NULL] — request id
-- $7 text[] = ARRAY[NULL] — channel
-- $8 timestamptz[] = ARRAY[now()] — when
-- $9 bigint[] = ARRAY[0] — first record
-- $10 bigint[] = ARRAY[0] — last record
-- $11 text[] = ARRAY['{}'] — the answer as JSON
INSERT INTO operations (tenant_id, operation_id, method, principal_id, agent_id, request_id, channel, commit_time,
                        first_sequence, last_sequence, answer)
SELECT tenant_id, operation_id, method, principal_id, agent_id, request_id, channel, commit_time, first_sequence,
       last_sequence, answer::json
FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[],
            $8::timestamptz[], $9::bigint[], $10::bigint[], $11::text[])
     AS added (tenant_id, operation_id, method, principal_id, agent_id, request_id, channel, commit_time,
               first_sequence, last_sequence, answer)

-- insert_graphs: graphs that something was put into for the first time.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each graph
-- $2 text[] = ARRAY['work'] — the graphs
INSERT INTO graphs (tenant_id, graph_id)
SELECT tenant_id, graph_id FROM unnest($1::text[], $2::text[]) AS added (tenant_id, graph_id)

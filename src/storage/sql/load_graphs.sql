-- load_graphs: which of these graphs exist.
-- $1 text[] = ARRAY['tenant-001'] — the tenant of each graph
-- $2 text[] = ARRAY['work'] — the graphs
SELECT g.tenant_id, g.graph_id
FROM unnest($1::text[], $2::text[]) AS wanted (tenant_id, graph_id)
JOIN graphs AS g USING (tenant_id, graph_id)

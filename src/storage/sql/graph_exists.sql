-- graph_exists: whether anything was ever put into this graph.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'work' — the graph
SELECT EXISTS (SELECT FROM graphs WHERE tenant_id = $1 AND graph_id = $2)

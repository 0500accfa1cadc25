-- import_exists: whether an import of this name ever brought a memory into the caller's reach, erased since or not.
-- $1 text = 'tenant-001' — the tenant
-- $2 text = 'import-1' — the import
-- $3 text = 'agent-1' — only this agent's, or null: all
-- $4 smallint[] = ARRAY[1,2,3] — kinds in reach
SELECT EXISTS (
    SELECT 1 FROM audit_records
    WHERE tenant_id = $1 AND import_id = $2 AND action = 1
      AND ($3::text IS NULL OR agent_id = $3) AND kind = ANY ($4::smallint[]))

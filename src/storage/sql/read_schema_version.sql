-- read_schema_version: what this schema is, and which binaries may use it.
SELECT version, oldest_supported FROM schema_version

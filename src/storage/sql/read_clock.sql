-- read_clock: the database's clock now, not at BEGIN: read after the heads are locked.
SELECT clock_timestamp() AS clock

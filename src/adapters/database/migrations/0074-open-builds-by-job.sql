-- Open builds are found by their job, or all at once. For a job, Postgres also chose this index, and then read all
-- open builds: it estimates that next to none is open, so both ways look equally cheap.
DROP INDEX builds_open;

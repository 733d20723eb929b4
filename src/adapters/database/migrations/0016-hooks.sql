-- The `on_trigger` hooks of versions that were recorded together run in one Pod, which is a check run with another cause. While the row is
-- open, and not beyond `held_until`, these versions and newer ones of the resource get no automatic build.
ALTER TABLE resources ADD COLUMN hooks boolean NOT NULL DEFAULT false;
ALTER TABLE check_scopes ADD COLUMN last_hooks jsonb;
ALTER TABLE check_runs DROP CONSTRAINT check_runs_cause_check;
ALTER TABLE check_runs ADD CONSTRAINT check_runs_cause_check CHECK (cause IN ('schedule', 'manual', 'webhook', 'version'));
CREATE TABLE hook_runs (
  run_id bigint PRIMARY KEY REFERENCES check_runs (id) ON DELETE CASCADE,
  resource_id bigint NOT NULL REFERENCES resources (id),
  first_version bigint NOT NULL,
  last_version bigint NOT NULL,
  held_until timestamptz NOT NULL,
  open boolean NOT NULL DEFAULT true
);
CREATE INDEX hook_runs_open ON hook_runs (resource_id, first_version) WHERE open;

-- A step may be part of a group, a branch, or another step, and may run more than once. `parent` is the id of that step; `hook` names the
-- kind of hook that it is.
ALTER TABLE build_steps DROP CONSTRAINT build_steps_kind_check;
ALTER TABLE build_steps
  ADD CONSTRAINT build_steps_kind_check
    CHECK (kind IN ('get', 'task', 'put', 'notify', 'command', 'service', 'parallel', 'branch')) NOT VALID,
  ADD COLUMN parent text,
  ADD COLUMN hook text CHECK (hook IN ('on_success', 'on_failure', 'on_cancel', 'ensure')),
  ADD COLUMN step_attempt integer;

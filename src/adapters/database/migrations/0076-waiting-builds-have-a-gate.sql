-- A retry of a build without a gate could wait for approval without one. Such builds get what their job needs now. The
-- constraint comes first, so that no other session adds such a build in between.
ALTER TABLE builds
  ADD CONSTRAINT builds_waiting_gate CHECK (status <> 'waiting' OR gate IS NOT NULL) NOT VALID;
UPDATE builds b SET gate = coalesce(j.approval, '{"approvals": 1}') FROM jobs j
WHERE j.id = b.job_id AND b.status = 'waiting' AND b.gate IS NULL;

-- A newer set of versions takes the place of an automatic build that has not begun, unless the job says otherwise.
ALTER TABLE jobs ADD COLUMN supersede boolean NOT NULL DEFAULT true;
-- The place in the queue of the build that this one superseded; null: its own id.
ALTER TABLE builds ADD COLUMN queue_place bigint;
-- Queues are read by place.
CREATE INDEX builds_queued_by_place ON builds (job_id, (coalesce(queue_place, id))) WHERE admitted_at IS NULL AND status = 'pending';
-- Automatic builds of a newest set that may be superseded or that a newer one waits for: few, whatever else is queued.
CREATE INDEX builds_of_newest_set ON builds (job_id, id) WHERE ended_at IS NULL AND cause ->> 'kind' = 'ready';

-- When the Pod of an attempt got its node, and when the last of its containers started. Written once, together. Null: not observed,
-- or a warm Pod, which had both before.
ALTER TABLE build_attempts ADD COLUMN pod_scheduled_at timestamptz, ADD COLUMN containers_started_at timestamptz;

-- The directory that a resource keeps between builds and checks. Its volume is a PersistentVolumeClaim in the team's namespace.
CREATE TABLE caches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
  -- Its canonical name: `git.app`.
  resource text NOT NULL,
  -- Part of the name of its claim. Clearing the cache raises it, so that the next use starts with a new volume.
  generation integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz,
  -- As the last agent that used it measured it.
  bytes bigint,
  UNIQUE (pipeline_id, resource)
);

-- What was decided about a cache for one Pod. A cache is in use while a row without a reason belongs to a build or run that has not
-- ended, so nothing has to be released.
CREATE TABLE cache_uses (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cache_id bigint NOT NULL REFERENCES caches (id) ON DELETE CASCADE,
  generation integer NOT NULL,
  build_id bigint REFERENCES builds (id) ON DELETE CASCADE,
  attempt integer,
  run_id bigint REFERENCES check_runs (id) ON DELETE CASCADE,
  -- Why the Pod runs without the cache: a code and a sentence. Null: it is mounted.
  reason text,
  message text,
  used_at timestamptz NOT NULL,
  CHECK ((build_id IS NULL) <> (run_id IS NULL)),
  CHECK ((build_id IS NULL) = (attempt IS NULL)),
  CHECK ((reason IS NULL) = (message IS NULL)),
  UNIQUE (build_id, attempt, cache_id)
);
CREATE UNIQUE INDEX cache_uses_of_run ON cache_uses (run_id, cache_id) WHERE run_id IS NOT NULL;
CREATE INDEX cache_uses_of_cache ON cache_uses (cache_id, id);

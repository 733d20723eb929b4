-- What was found under the sources of a pipeline's types: fetched once for a text, its variables and a request. A pipeline that has no
-- accepted revision yet has no row of its own, so names lead here.

CREATE TABLE kept_sources (
  team text NOT NULL,
  pipeline text NOT NULL,
  -- SHA-256 of what they were fetched for.
  key text NOT NULL,
  -- By source: {"text": "…", "digest": "sha256:…"}.
  sources jsonb NOT NULL,
  fetched_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team, pipeline)
);

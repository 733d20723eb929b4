-- What images say about how they start, by the digest of their manifest: {"entrypoint": [], "cmd": [], "workingDir": "/app"}.
CREATE TABLE image_configurations (
  digest text NOT NULL,
  -- As in image manifests: amd64. A digest can name a list of images.
  architecture text NOT NULL,
  configuration jsonb NOT NULL,
  stored_at timestamptz NOT NULL,
  PRIMARY KEY (digest, architecture)
);
CREATE INDEX image_configurations_by_age ON image_configurations (stored_at);

-- What an image name means to the pull secrets of a namespace.
CREATE TABLE image_look_ups (
  namespace text NOT NULL,
  image text NOT NULL,
  architecture text NOT NULL,
  -- Null: it was never found. Its configuration may be gone.
  digest text,
  checked_at timestamptz,
  -- The last failure, as a sentence. Null: the last look-up succeeded.
  failure text,
  transient boolean NOT NULL DEFAULT false,
  failures integer NOT NULL DEFAULT 0,
  retry_at timestamptz,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, image, architecture)
);
CREATE INDEX image_look_ups_by_age ON image_look_ups (updated_at);

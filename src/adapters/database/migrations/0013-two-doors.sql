-- Teams and providers through the API as well as by manifest, roles by groups of identity providers, accounts that are switched off.

ALTER TABLE oauth_providers
  -- Of the OAuthProvider object that this row was last written from: what an older one says no longer counts.
  ADD COLUMN uid text,
  ADD COLUMN generation bigint,
  -- The API made the object, and may change it.
  ADD COLUMN by_api boolean NOT NULL DEFAULT false,
  -- The claim that lists somebody's groups; null: nobody looks at them.
  ADD COLUMN groups_claim text;

-- Groups that the provider told at the last sign-in.
ALTER TABLE oauth_identities ADD COLUMN groups jsonb NOT NULL DEFAULT '[]';

-- And of somebody who waits for a name.
ALTER TABLE oauth_profiles ADD COLUMN groups jsonb NOT NULL DEFAULT '[]';

-- What the Team object says itself, and who made it.
ALTER TABLE teams
  ADD COLUMN display_name_by_manifest boolean NOT NULL DEFAULT false,
  ADD COLUMN groups_by_manifest boolean NOT NULL DEFAULT false,
  ADD COLUMN by_api boolean NOT NULL DEFAULT false;
UPDATE teams SET display_name_by_manifest = true WHERE display_name IS NOT NULL;

-- The role that a group of an identity provider gives.
CREATE TABLE team_groups (
  team_id bigint NOT NULL REFERENCES teams,
  claim text NOT NULL,
  role text NOT NULL CHECK (role IN ('read', 'write', 'maintain', 'admin')),
  PRIMARY KEY (team_id, claim)
);
CREATE INDEX team_groups_by_claim ON team_groups (claim);

-- Members that a Team object names before they have an account: nobody may take such a name on their own.
CREATE TABLE team_expected (
  team_id bigint NOT NULL REFERENCES teams,
  username text NOT NULL,
  role text NOT NULL CHECK (role IN ('read', 'write', 'maintain', 'admin')),
  PRIMARY KEY (team_id, username)
);
CREATE INDEX team_expected_by_name ON team_expected (username);

-- No way in, until it is switched on again.
ALTER TABLE users ADD COLUMN disabled boolean NOT NULL DEFAULT false;

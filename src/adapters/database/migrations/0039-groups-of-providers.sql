-- Of which identity provider a group is, by the name of its OAuthProvider. Null: of the only one that tells groups; with several, the group gives no role.
ALTER TABLE team_groups ADD COLUMN provider text;

import { sql } from 'slonik';

const ROLES_ASCENDING = sql.fragment`ARRAY['read', 'write', 'maintain', 'admin']`;

/**
 * SQL: roles of users in teams, as members or through groups that their identity provider reported when they
 * last signed in. A group counts only while its provider is enabled, has a claim for groups, and still has
 * the issuer of that sign-in. A group that the team lists without a provider counts only while no other
 * enabled provider has a claim for groups.
 */
export const HELD_ROLES = sql.fragment`(
  SELECT team_id, user_id, role, false AS by_group FROM team_members
  UNION ALL
  SELECT g.team_id, i.user_id, g.role, true FROM oauth_identities i
    JOIN oauth_providers p ON p.canonical = i.provider AND p.issuer = i.issuer AND p.enabled
      AND p.groups_claim IS NOT NULL
    CROSS JOIN LATERAL jsonb_array_elements_text(i.groups) AS reported(claim)
    JOIN team_groups g ON g.claim = reported.claim
      AND (g.provider = p.canonical OR (g.provider IS NULL AND NOT EXISTS (
        SELECT 1 FROM oauth_providers other WHERE other.enabled AND other.groups_claim IS NOT NULL
          AND other.canonical <> p.canonical))))`;

/** SQL aggregate: the highest of several roles. The highest role includes the lower ones. */
export const highest = (role: ReturnType<typeof sql.fragment>): ReturnType<typeof sql.fragment> =>
  sql.fragment`(${ROLES_ASCENDING})[max(array_position(${ROLES_ASCENDING}, ${role}))]`;

import type { GroupRole } from '#domain/access/group-roles.ts';
import type { Role } from '#domain/access/roles.ts';

/* What the flows of teams need from outside. The promises of `ports.ts` hold. */

export interface TeamToSave {
  name: string;
  namespace: string;
  /** Present, as `members` and `groups`: the manifest decides. What it says no more stays as it is, for the API to change. */
  displayName?: string;
  members?: readonly { user: string; role: Role }[];
  groups?: readonly GroupRole[];
  /** Made by the API: whoever made a new one is its first admin. */
  byApi?: { changedBy: string };
  /** Builds at a time; absent: no limit. */
  runningBuilds?: number;
  /** What is absent has its default. */
  retention?: { builds?: number; days?: number; minimumSucceeded?: number };
}

/** What holds of a team now, whoever said it. */
export interface TeamSaved {
  displayName?: string;
  members: { user: string; role: Role }[];
  groups: GroupRole[];
  /** The enabled identity providers that tell groups. */
  tellingGroups: string[];
  /** Why the members of the manifest are not those of the team: what was before goes on. */
  refused?: { reason: 'LastAdmin'; message: string };
}

interface TeamRules {
  at: Date;
  /** Asked with the number of admins that the team has, and that it would have by its manifest. */
  refuse: (admins: { before: number; after: number }) => string | undefined;
}

export interface TeamStore {
  saveTeam(team: TeamToSave, rules?: TeamRules): Promise<TeamSaved>;
  /** Keeps all history; only a team without live pipelines can go. */
  removeTeam(name: string, by?: string): Promise<'removed' | 'has-pipelines'>;
  teamName(id: number): Promise<string | undefined>;
}

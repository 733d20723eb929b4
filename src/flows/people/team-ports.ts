import type { GroupRole } from '#domain/access/group-roles.ts';
import type { Role } from '#domain/access/roles.ts';
import type { Act } from './ports.ts';

/* What the flows of teams need from outside. The promises of `ports.ts` hold. */

export interface NamedMember {
  user: string;
  role: Role;
}

export interface TeamToSave {
  name: string;
  namespace: string;
  /**
   * Present, as `members` and `groups`: the manifest decides. What it says no more stays as it is, for the
   * API to change.
   */
  displayName?: string;
  members?: readonly NamedMember[];
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
  members: NamedMember[];
  groups: GroupRole[];
  /** The enabled identity providers that tell groups. */
  tellingGroups: string[];
  /** Why the members of the manifest are not those of the team: what was before goes on. */
  refused?: { reason: 'LastAdmin'; message: string };
}

/** Who changes which team, and when. */
export interface TeamAct extends Act {
  id: number;
  team: string;
}

/** Alone with all teams, accounts and members. */
export interface TeamTransaction {
  /** Also one that was removed: its row stays. */
  team(): Promise<{ id: number; removed: boolean } | undefined>;
  /**
   * Writes the row, and whether the manifest names members; answers its id. `known`: the row that is there.
   */
  saveRow(team: TeamToSave, known: { id: number } | undefined): Promise<number>;
  recordCreation(act: TeamAct): Promise<void>;
  /** Nothing where there is no such account. */
  addAdmin(username: string, act: TeamAct): Promise<void>;
  /** How many admins the team has, and would have with these members. */
  admins(id: number, members: readonly NamedMember[]): Promise<{ before: number; after: number }>;
  /** Exactly these are members; those without an account become members once an admin creates it. */
  saveMembers(members: readonly NamedMember[], act: TeamAct): Promise<void>;
  saveGroups(groups: readonly GroupRole[], act: TeamAct): Promise<void>;
  saved(id: number): Promise<TeamSaved>;
  /** Pipelines that have not been removed. A pipeline that is being saved is waited for. */
  hasPipelines(id: number): Promise<boolean>;
  /** Keeps all history. */
  remove(act: TeamAct): Promise<void>;
}

export interface TeamStore {
  /** `work` acts only through its transaction. */
  withTeam<T>(name: string, work: (tx: TeamTransaction) => Promise<T>): Promise<T>;
  teamName(id: number): Promise<string | undefined>;
}

/** A Team object, as far as flows look at it. */
export interface TeamManifest {
  name: string;
  uid: string;
  namespace: string;
  displayName?: string;
  /** Present, as `groups`: the manifest decides. */
  members?: readonly { user: string; role: Role }[];
  groups?: readonly GroupRole[];
  byApi?: { changedBy: string };
  /** Builds at a time. */
  runningBuilds?: number;
  retention?: { builds?: number; days?: number; minimumSucceeded?: number };
}

export type NamespaceAnswer =
  | { answer: 'ready' }
  | {
      answer: 'refused';
      reason: 'NamespaceReserved' | 'NamespaceNotOurs' | 'NamespaceTerminating' | 'NamespaceRefused';
      message: string;
    };

export interface TeamCluster {
  /**
   * Makes the team's namespace what it should be: created if absent, adopted only if it carries the team's
   * label; service account, role bindings, network policy and quota in it as the Team says.
   */
  prepareNamespace(team: TeamManifest): Promise<NamespaceAnswer>;
  /**
   * Pipeline objects of the team, those being deleted included; none while its namespace is another team's.
   */
  pipelinesOf(team: TeamManifest): Promise<number>;
}

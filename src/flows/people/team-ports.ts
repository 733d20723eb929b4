import type { GroupRole } from '#domain/access/group-roles.ts';
import type { Role } from '#domain/access/roles.ts';
import type { AuditedAct } from './ports.ts';

/* What the flows of teams need from outside. */

export interface NamedMember {
  user: string;
  role: Role;
}

export interface TeamToSave {
  name: string;
  namespace: string;
  /**
   * Absent: the manifest does not set the field, so its last value stays, and the API can change it. The same
   * is true of `members`, `groups` and `debug`.
   */
  displayName?: string;
  members?: readonly NamedMember[];
  groups?: readonly GroupRole[];
  /** Shells in running steps are allowed. */
  debug?: boolean;
  /** The API created the Team. The creator of a new team becomes its first admin. */
  byApi?: { changedBy?: string };
  /** Builds at a time; absent: no limit. */
  runningBuilds?: number;
  /** Timeout of jobs that set none. Absent: the default of the language. */
  defaultTimeoutSeconds?: number;
  /** Limit for the bytes of one build's log. Absent: that of the installation. */
  buildLogBytes?: number;
  /** Absent fields have their defaults. */
  retention?: { builds?: number; days?: number; minimumSucceeded?: number };
}

/** The team after the save. */
export interface TeamSaved {
  displayName?: string;
  members: NamedMember[];
  groups: GroupRole[];
  /** Enabled identity providers that report groups. */
  groupProviders: string[];
  /** Why the manifest's members were not applied. The previous members stay. */
  refused?: { reason: 'LastAdmin'; message: string };
}

/** Who changes which team, and when. */
export interface TeamAct extends AuditedAct {
  id: number;
  team: string;
}

/** Locks all teams, accounts and members. */
export interface TeamTransaction {
  /** Also finds a removed team: its row stays. Waits for pipelines of the team that are being saved. */
  team(): Promise<{ id: number; removed: boolean } | undefined>;
  /** Writes the row of the team, which also records which fields the manifest sets. Returns the row id. */
  saveRow(team: TeamToSave, existing: { id: number } | undefined): Promise<number>;
  recordCreation(act: TeamAct): Promise<void>;
  /** Does nothing if there is no enabled account of that name. */
  addAdmin(username: string, act: TeamAct): Promise<void>;
  /** Number of admins now, and the number after these members were saved. */
  admins(id: number, members: readonly NamedMember[]): Promise<{ before: number; after: number }>;
  /** Replaces the members. A name without an account becomes a member once the account is created. */
  saveMembers(members: readonly NamedMember[], act: TeamAct): Promise<void>;
  saveGroups(groups: readonly GroupRole[], act: TeamAct): Promise<void>;
  saved(id: number): Promise<TeamSaved>;
  /** Whether the team has pipelines that were not removed. Call it after `team`, which waits for saves. */
  hasPipelines(id: number): Promise<boolean>;
  /** Removes the team, but keeps its history. */
  remove(act: TeamAct): Promise<void>;
}

export interface TeamStore {
  /** `work` reads and writes only through `tx`. */
  withTeam<T>(name: string, work: (tx: TeamTransaction) => Promise<T>): Promise<T>;
  teamName(id: number): Promise<string | undefined>;
}

/** The part of a Team object that flows need. */
export interface TeamManifest {
  name: string;
  uid: string;
  namespace: string;
  displayName?: string;
  /**
   * Absent: the manifest does not set the members. The same is true of `displayName`, `groups` and `debug`.
   */
  members?: readonly { user: string; role: Role }[];
  groups?: readonly GroupRole[];
  debug?: boolean;
  byApi?: { changedBy?: string };
  /** Builds at a time. */
  runningBuilds?: number;
  /** Timeout of jobs that set none, as a duration of the language: `1h30m`. */
  defaultTimeout?: string;
  /** A quantity of bytes: the limit of one build's log. */
  buildLogLimit?: string;
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
   * Creates the team's namespace, or adopts an existing one that has the team's label. Then applies its
   * service account, role bindings, network policy and quota.
   */
  prepareNamespace(team: TeamManifest): Promise<NamespaceAnswer>;
  /**
   * Number of Pipeline objects of the team, including those being deleted. 0 if the namespace belongs to
   * another team.
   */
  pipelinesOf(team: TeamManifest): Promise<number>;
}

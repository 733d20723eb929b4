import type { Identity } from '#domain/access/decide-access.ts';
import type { GroupRole } from '#domain/access/group-roles.ts';
import type { AccountFacts, ChangeRefusal, MemberFacts } from '#domain/access/last-admin.ts';
import type { ManagedFields } from '#domain/access/refuse-team-change.ts';
import type { Role } from '#domain/access/roles.ts';
import type { Listed, Page } from '#flows/page.ts';

/*
 * What the flows of accounts and rights need from outside. Every method of a store is one transaction, and
 * writes an audited change together with its audit entry. Two changes may each keep a rule, such as that a
 * team has an admin, but break it together. So such changes wait for each other.
 */

/** Who makes a change, and when. */
export interface AuditedAct {
  by: string;
  at: Date;
}

export interface Account {
  id: number;
  username: string;
  fullName: string;
  globalAdmin: boolean;
  hasPassword: boolean;
  mustChangePassword: boolean;
  /** The account cannot sign in, and its tokens are invalid. */
  disabled: boolean;
  createdAt: Date;
  teams: Record<string, Role>;
}

/** What sign-in verifies. */
export interface StoredCredentials {
  id: number;
  username: string;
  passwordHash?: string;
  /** Token generation: a session is valid only while it has the generation of its account. */
  tokenGen: number;
  mustChangePassword: boolean;
}

interface NewAccount {
  username: string;
  fullName: string;
  globalAdmin: boolean;
  passwordHash?: string;
  mustChangePassword: boolean;
}

export interface AccountChange {
  fullName?: string;
  globalAdmin?: boolean;
  /** True ends every session of the account and makes its tokens invalid. */
  disabled?: boolean;
  /** Ends every session of the account and, unless `keepTokens`, its API tokens. */
  password?: { hash: string; mustChange: boolean; keepTokens: boolean };
}

export type ChangeResult<T = unknown> =
  | { answer: 'done'; value: T }
  | { answer: 'unknown'; what: string }
  | { answer: 'refused'; refusal: ChangeRefusal };

/** An account, read while accounts, members and sign-in methods are locked. */
export interface AccountToChange extends AccountFacts {
  id: number;
  username: string;
  disabled: boolean;
  /** The account is a global admin, or is one again when it is enabled. */
  hasAdminRole: boolean;
}

export interface AccountTransaction {
  /** Undefined: no such account. */
  account(): Promise<AccountToChange | undefined>;
  change(account: AccountToChange, change: AccountChange, act: AuditedAct): Promise<void>;
  remove(account: AccountToChange, act: AuditedAct): Promise<void>;
}

export interface AccountStore {
  /** Creates the first account of an installation. */
  seedAdmin(admin: { username: string; passwordHash: string }, at: Date): Promise<'seeded' | 'not-empty'>;
  /** `search`: only accounts whose username or full name contains it, in any case. */
  accounts(page: Page & { search?: string }): Promise<Listed<Account>>;
  account(username: string): Promise<Account | undefined>;
  credentials(username: string): Promise<StoredCredentials | undefined>;
  createAccount(account: NewAccount, act: AuditedAct): Promise<'created' | 'taken'>;
  /** `work` reads and writes only through `tx`. */
  withAccount<T>(username: string, work: (tx: AccountTransaction) => Promise<T>): Promise<T>;
}

export interface TeamView {
  name: string;
  displayName?: string;
  members: number;
  pipelines: number;
  groups: GroupRole[];
  /** The API created the Team object. */
  byApi: boolean;
  /** Shells in running steps are allowed. */
  debug: boolean;
  /** Fields that the Team object sets, so the API cannot. */
  byManifest: TeamField[];
  /** Role of the caller. */
  role?: Role;
}

type TeamField = 'display_name' | 'members' | 'groups' | 'debug';

export interface TeamChange {
  /** Empty: the team has no display name. */
  displayName?: string;
  groups?: GroupRole[];
  debug?: boolean;
}

export interface Member {
  id: number;
  username: string;
  fullName: string;
  role: Role;
  /** The role that groups of an identity provider give. Without `addedAt`, the person has only this role. */
  groupRole?: Role;
  addedAt?: Date;
}

export interface Membership {
  team: string;
  username: string;
}

/** An account, a team, and the account's role in it. */
export interface LockedMember extends MemberFacts, Membership {
  teamId: number;
  userId: number;
}

export interface MemberTransaction {
  member(): Promise<LockedMember | { unknown: 'team' | 'user' }>;
  setRole(member: LockedMember, role: Role, act: AuditedAct): Promise<void>;
  /** Ends the membership and deletes the tokens that are limited to the team. */
  remove(member: LockedMember, act: AuditedAct): Promise<void>;
}

export interface TeamSettingsTransaction {
  /** Undefined: no such team. */
  team(): Promise<(ManagedFields & { id: number }) | undefined>;
  change(id: number, change: TeamChange, act: AuditedAct): Promise<void>;
}

export interface MemberStore {
  /** All teams, or those of the account, in the order of their names. */
  teams(who: { userId: number } | 'all'): Promise<TeamView[]>;
  team(name: string): Promise<TeamView | undefined>;
  namespaceOf(team: string): Promise<string | undefined>;
  members(team: string): Promise<Member[] | undefined>;
  /** `work` reads and writes only through `tx`. */
  withTeam<T>(team: string, work: (tx: TeamSettingsTransaction) => Promise<T>): Promise<T>;
  /** `work` reads and writes only through `tx`. */
  withMember<T>(member: Membership, work: (tx: MemberTransaction) => Promise<T>): Promise<T>;
}

/** The time, and after how many idle seconds a session ends (0: never). */
export interface SessionClock {
  at: Date;
  idleSeconds: number;
}

export interface UserSession {
  id: string;
  openedAt: Date;
  /** When the session was last used, to the minute. */
  usedAt: Date;
  expiresAt?: Date;
  address: string;
  client: string;
}

export interface SessionToOpen extends Omit<UserSession, 'usedAt'> {
  /**
   * When the session is first used. Absent: equal to `openedAt`. For a session of the command line,
   * `openedAt` is when the confirming session was opened, so `usedAt` is later.
   */
  usedAt?: Date;
  userId: number;
  username: string;
  tokenGen: number;
  /** Audit action: `user.signed_in`, `user.session_renewed` … */
  action: string;
  /** The user signed in through a provider, so they need not change their password first. */
  byProvider?: boolean;
}

export interface UserSessionStore {
  /**
   * Ends the oldest sessions of an account that has too many. False: the account changed meanwhile, and no
   * session was opened.
   */
  openSession(session: SessionToOpen): Promise<boolean>;
  /**
   * The owner of the session with their current rights. Records that the session was used. Undefined: the
   * session is not valid.
   */
  identityOfSession(
    session: { id: string; userId: number; tokenGen: number },
    now: SessionClock,
  ): Promise<Identity | undefined>;
  sessions(userId: number, now: SessionClock): Promise<UserSession[]>;
  /** False: the account has no such session. */
  endSession(session: { id: string; userId: number }, act: AuditedAct): Promise<boolean>;
  /**
   * Ends all sessions, stolen ones included, by raising the account's token generation. Ends API tokens too
   * unless `keepTokens`.
   */
  endSessions(userId: number, keepTokens: boolean, act: AuditedAct): Promise<void>;
}

/**
 * Hashes are one-way and slow. Verifying against a missing hash takes as long as verifying a wrong password.
 */
export interface Passwords {
  hash(password: string): Promise<string>;
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Whether attackers would try this password first. */
  isCommon(password: string): boolean;
}

export interface AuditEntry {
  /** Absent: an entry of the installation. */
  team?: string;
  actor: string;
  action: string;
  targetType: string;
  target: string;
  details?: Record<string, unknown>;
  at: Date;
}

export interface AuditFilter {
  users?: readonly string[];
  notUsers?: readonly string[];
  actions?: readonly string[];
  notActions?: readonly string[];
  /** Only entries whose target is this pipeline or something in it. */
  pipeline?: string;
  since?: Date;
  until?: Date;
}

export interface AuditStore {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. Without `team`: of the installation and all teams. */
  entries(
    team: string | undefined,
    filter: AuditFilter,
    page: Page,
  ): Promise<Listed<AuditEntry & { id: number }>>;
}

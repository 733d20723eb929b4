import type { TokenScope } from '#domain/access/api-token.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { GroupRole } from '#domain/access/group-roles.ts';
import type { AccessRefusal, AccountFacts, MemberFacts } from '#domain/access/last-admin.ts';
import type { ManagedFields } from '#domain/access/refuse-team-change.ts';
import type { Role } from '#domain/access/roles.ts';
import type { Listed, Page } from '#flows/page.ts';

/*
 * What the flows of accounts and rights need from outside. The promises of `ports.ts` hold. Every change is
 * written together with its line in the audit log, and all changes that an invariant depends on take turns.
 */

/** Somebody who changes something, and when. */
export interface Act {
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
  /** Nothing lets them in. */
  disabled: boolean;
  createdAt: Date;
  teams: Record<string, Role>;
}

/** What signing in looks at. */
export interface StoredCredentials {
  id: number;
  username: string;
  passwordHash?: string;
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
  /** True ends every session of the account, and no token of it is good. */
  disabled?: boolean;
  /** Ends every session of the account, and its API tokens unless they are to stay. */
  password?: { hash: string; mustChange: boolean; keepTokens: boolean };
}

export type Changed<T = unknown> =
  | { answer: 'done'; value: T }
  | { answer: 'unknown'; what: string }
  | { answer: 'refused'; refusal: AccessRefusal };

/** An account as it is while nothing else changes accounts, members or ways to sign in. */
export interface LockedAccount extends AccountFacts {
  id: number;
  username: string;
  disabled: boolean;
}

export interface AccountTransaction {
  /** Undefined: there is no such account. */
  account(): Promise<LockedAccount | undefined>;
  change(account: LockedAccount, change: AccountChange, act: Act): Promise<void>;
  remove(account: LockedAccount, act: Act): Promise<void>;
}

export interface AccountStore {
  /** The first account of an installation that has none. */
  seedAdmin(admin: { username: string; passwordHash: string }, at: Date): Promise<'seeded' | 'not-empty'>;
  accounts(page: Page): Promise<Listed<Account>>;
  account(username: string): Promise<Account | undefined>;
  credentials(username: string): Promise<StoredCredentials | undefined>;
  createAccount(account: NewAccount, act: Act): Promise<'created' | 'taken'>;
  /** `work` acts only through its transaction. */
  withAccount<T>(username: string, work: (tx: AccountTransaction) => Promise<T>): Promise<T>;
}

export interface TeamView {
  name: string;
  displayName?: string;
  members: number;
  pipelines: number;
  groups: GroupRole[];
  /** The API made the Team object. */
  byApi: boolean;
  /** What the Team object says, which the API does not change. */
  byManifest: TeamField[];
  /** The role of whoever asks. */
  role?: Role;
}

type TeamField = 'display_name' | 'members' | 'groups';

export interface TeamChange {
  /** Empty: none. */
  displayName?: string;
  groups?: GroupRole[];
}

export interface Member {
  id: number;
  username: string;
  fullName: string;
  role: Role;
  /** That groups of an identity provider give; whoever has no other was added by nobody. */
  groupRole?: Role;
  addedAt?: Date;
}

export interface Membership {
  team: string;
  username: string;
}

/** An account and a team, and what the account is in the team. */
export interface LockedMember extends MemberFacts, Membership {
  teamId: number;
  userId: number;
}

export interface MemberTransaction {
  member(): Promise<LockedMember | { unknown: 'team' | 'user' }>;
  setRole(member: LockedMember, role: Role, act: Act): Promise<void>;
  /** Ends the membership and deletes the tokens that are limited to the team. */
  remove(member: LockedMember, act: Act): Promise<void>;
}

export interface TeamSettingsTransaction {
  /** Undefined: there is no such team. */
  team(): Promise<(ManagedFields & { id: number }) | undefined>;
  change(id: number, change: TeamChange, act: Act): Promise<void>;
}

export interface MemberStore {
  /** All of them, or those that the account is a member of; by name. */
  teams(who: { userId: number } | 'all'): Promise<TeamView[]>;
  team(name: string): Promise<TeamView | undefined>;
  namespaceOf(team: string): Promise<string | undefined>;
  members(team: string): Promise<Member[] | undefined>;
  /** `work` acts only through its transaction, here as below. */
  withTeam<T>(team: string, work: (tx: TeamSettingsTransaction) => Promise<T>): Promise<T>;
  withMember<T>(member: Membership, work: (tx: MemberTransaction) => Promise<T>): Promise<T>;
}

/** When somebody looks, and after how long an unused session is over (0: never). */
export interface SessionClock {
  at: Date;
  idleSeconds: number;
}

export interface UserSession {
  id: string;
  openedAt: Date;
  /** To the minute. */
  usedAt: Date;
  expiresAt?: Date;
  address: string;
  client: string;
}

export interface SessionToOpen extends Omit<UserSession, 'usedAt'> {
  userId: number;
  username: string;
  tokenGen: number;
  /** How it came to be: `user.signed_in`, `user.session_renewed` … */
  action: string;
  /** No password was looked at, so none has to be changed first. */
  byProvider?: boolean;
}

export interface UserSessionStore {
  /** False when the account changed meanwhile. Only the newest sessions of an account are kept. */
  openSession(session: SessionToOpen): Promise<boolean>;
  /** Who the session belongs to, with their rights as they are now. Remembers that it was used. */
  identityOfSession(
    session: { id: string; userId: number; tokenGen: number },
    now: SessionClock,
  ): Promise<Identity | undefined>;
  sessions(userId: number, now: SessionClock): Promise<UserSession[]>;
  endSession(session: { id: string; userId: number }, act: Act): Promise<boolean>;
  /**
   * Also of those whose token somebody has copied: the account's number goes up. With them go the API tokens,
   * unless they are to stay.
   */
  endSessions(userId: number, keepTokens: boolean, act: Act): Promise<void>;
}

/** One-way and slow. A missing hash costs as much time as a wrong password. */
export interface Passwords {
  hash(password: string): Promise<string>;
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Among those that whoever guesses tries first. */
  isCommon(password: string): boolean;
}

export interface AuditEntry {
  /** Absent: of the installation. */
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
  /** Target, or what begins with it and a slash. */
  pipeline?: string;
  since?: Date;
  until?: Date;
}

export interface AuditStore {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. `team` undefined: of the installation and of all teams. */
  entries(
    team: string | undefined,
    filter: AuditFilter,
    page: Page,
  ): Promise<Listed<AuditEntry & { id: number }>>;
}

export interface ApiToken {
  id: number;
  name: string;
  /** The first letters of the token. */
  prefix: string;
  username: string;
  /** Absent: personal. */
  scope?: TokenScope;
  createdAt: Date;
  expiresAt?: Date;
  lastUsedAt?: Date;
}

export interface TokenToMake {
  userId: number;
  /** That asks for it: with a session that has just ended nobody makes one. */
  sessionId: string;
  username: string;
  name: string;
  hash: Buffer;
  prefix: string;
  scope?: TokenScope;
  expiresAt?: Date;
}

/** The account that a token is for. */
interface TokenOwner {
  identity: Identity;
  /** How many it has. */
  tokens: number;
  /** False: there is no such team. */
  hasTeam: boolean;
}

export interface TokenTransaction {
  /** Of the one that asks for the token. */
  sessionIsOpen(): Promise<boolean>;
  /** Undefined: the account is gone. */
  owner(): Promise<TokenOwner | undefined>;
  /** Undefined: the account has a token of this name. */
  create(at: Date): Promise<number | undefined>;
}

export interface TokenStore {
  /** Alone with all accounts. `work` acts only through its transaction. */
  withTokenOwner<T>(token: TokenToMake, work: (tx: TokenTransaction) => Promise<T>): Promise<T>;
  tokens(userId: number): Promise<ApiToken[]>;
  removeToken(token: { id: number; userId: number }, act: Act): Promise<boolean>;
  /** With the rights that the account has now; an expired token is unknown. Remembers that it was used. */
  ownerOfToken(hash: Buffer, at: Date): Promise<{ owner: Identity; scope?: TokenScope } | undefined>;
}

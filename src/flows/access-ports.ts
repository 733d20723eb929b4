import type { AccessRefusal, AccountFacts, MemberFacts } from '#domain/access/last-admin.ts';
import type { GroupRole } from '#domain/access/group-roles.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { Role } from '#domain/access/roles.ts';
import type { Attempt, Failures, ThrottleKind } from '#domain/access/throttle.ts';
import type { Listed, Page } from './views.ts';

/*
 * What the flows of accounts and rights need from outside. The promises of `ports.ts` hold. Every change is written together with its
 * line in the audit log, and all changes that an invariant depends on take turns.
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
export interface Credentials {
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

export interface AccountStore {
  /** The first account of an installation that has none. */
  seedAdmin(admin: { username: string; passwordHash: string }, at: Date): Promise<'seeded' | 'not-empty'>;
  accounts(page: Page): Promise<Listed<Account>>;
  account(username: string): Promise<Account | undefined>;
  credentials(username: string): Promise<Credentials | undefined>;
  createAccount(account: NewAccount, act: Act): Promise<'created' | 'taken'>;
  changeAccount(
    username: string,
    change: AccountChange,
    act: Act,
    refuse: (facts: AccountFacts) => AccessRefusal | undefined,
  ): Promise<Changed>;
  removeAccount(
    username: string,
    act: Act,
    refuse: (facts: AccountFacts) => AccessRefusal | undefined,
  ): Promise<Changed>;
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

export interface MemberStore {
  /** All of them, or those that the account is a member of; by name. */
  teams(who: { userId: number } | 'all'): Promise<TeamView[]>;
  team(name: string): Promise<TeamView | undefined>;
  namespaceOf(team: string): Promise<string | undefined>;
  members(team: string): Promise<Member[] | undefined>;
  /** What the Team object itself says is refused. */
  changeTeam(team: string, change: TeamChange, act: Act): Promise<Changed>;
  /** Makes, changes or (`role` undefined) ends a membership, with the tokens that hang on it. */
  changeMember(
    member: { team: string; username: string; role: Role | undefined },
    act: Act,
    refuse: (facts: MemberFacts) => AccessRefusal | undefined,
  ): Promise<Changed<{ was: Role | undefined }>>;
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
  /** Also of those whose token somebody has copied: the account's number goes up. With them go the API tokens, unless they are to stay. */
  endSessions(userId: number, keepTokens: boolean, act: Act): Promise<void>;
}

export interface ThrottleStore {
  /** All keys go or none does. The longest wait in milliseconds, or 0 when the attempt is looked at. */
  takeAttempt(
    keys: { kind: ThrottleKind; name: string }[],
    at: Date,
    decide: (kind: ThrottleKind, known: Failures | undefined, now: number) => Attempt,
  ): Promise<number>;
  /** The attempt succeeded: what failed before for the account is forgotten, for the address only this attempt. */
  forgive(keys: { kind: ThrottleKind; name: string }[]): Promise<void>;
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
  scope?: { team: string; role: Role };
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
  scope?: { team: string; role: Role };
  expiresAt?: Date;
}

export interface TokenStore {
  /** `role-too-high`: the account has less in that team now. */
  makeToken(
    token: TokenToMake,
    at: Date,
  ): Promise<
    | { answer: 'made'; id: number }
    | { answer: 'taken' | 'too-many' | 'no-team' | 'role-too-high' | 'session-over' }
  >;
  tokens(userId: number): Promise<ApiToken[]>;
  removeToken(token: { id: number; userId: number }, act: Act): Promise<boolean>;
  /** Who the token belongs to, with its rights as they are now; an expired one is unknown. Remembers that it was used. */
  identityOfToken(hash: Buffer, at: Date): Promise<Identity | undefined>;
}

import type { TokenScope } from '#domain/access/api-token.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { AuditedAct } from './ports.ts';

export interface ApiToken {
  id: number;
  name: string;
  /** First characters of the token, to recognise it. */
  prefix: string;
  username: string;
  /** Absent: a personal token. */
  scope?: TokenScope;
  createdAt: Date;
  expiresAt?: Date;
  lastUsedAt?: Date;
}

export interface TokenToMake {
  userId: number;
  /** Id of the session that requests the token. If that session has ended, no token is created. */
  sessionId: string;
  username: string;
  name: string;
  hash: Buffer;
  prefix: string;
  scope?: TokenScope;
  expiresAt?: Date;
}

/** The account that a token is created for. */
interface TokenOwner {
  identity: Identity;
  /** Number of tokens that the account has. */
  tokens: number;
  /** False: the team of the token does not exist. */
  hasTeam: boolean;
}

export interface TokenTransaction {
  /** Whether the requesting session is still open. */
  sessionIsOpen(): Promise<boolean>;
  /** Undefined: the account was deleted. */
  owner(): Promise<TokenOwner | undefined>;
  /** Returns the id of the token. Undefined: the account has a token of this name. */
  create(at: Date): Promise<number | undefined>;
}

export interface TokenStore {
  /**
   * Nobody else changes accounts, members or sign-in methods while `work` runs. `work` reads and writes only
   * through `tx`.
   */
  withTokenOwner<T>(token: TokenToMake, work: (tx: TokenTransaction) => Promise<T>): Promise<T>;
  tokens(userId: number): Promise<ApiToken[]>;
  removeToken(token: { id: number; userId: number }, act: AuditedAct): Promise<boolean>;
  /**
   * The account of the token with its current roles, and the scope of the token. Records the use. Undefined:
   * the token is unknown or not valid any more.
   */
  ownerOfToken(hash: Buffer, at: Date): Promise<{ owner: Identity; scope?: TokenScope } | undefined>;
}

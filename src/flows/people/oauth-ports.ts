import type { AccountSignIn } from '#domain/access/lock-out.ts';
import type { Claims, OAuthProvider } from '#domain/access/oauth-provider.ts';
import type { ProviderState } from '#domain/access/provider-change.ts';
import type { AuditedAct, StoredCredentials } from './ports.ts';

/*
 * What sign-in through identity providers needs from outside. Every method of a store is one transaction.
 */

export interface StoredProvider extends OAuthProvider, ProviderState {}

/** An account at a provider. `issuer` and `subject` identify it (OpenID Connect Core 1.0, section 5.7). */
interface OAuthIdentity {
  issuer: string;
  subject: string;
  provider: string;
}

export interface OAuthFlow {
  provider: string;
  nonce: string;
  /** Code verifier (RFC 7636). */
  verifier: string;
  /** Hash of a secret in the cookie of the browser that began the flow. */
  browserHash: string;
  /** Absent: the flow is a sign-in. */
  link?: LinkRequest;
}

/** The account to link, and the session that requested the link. The flow ends with that session. */
export interface LinkRequest {
  userId: number;
  sessionId: string;
}

/** An identity without an account, which waits until its owner has chosen a user name. */
interface WaitingProfile extends OAuthIdentity {
  browserHash: string;
  groups: string[];
}

export interface LinkedIdentity {
  provider: string;
  displayName?: string;
  linkedAt: Date;
}

/** `refused`: the message names who would be locked out. */
export type SignInMethodsAnswer =
  | { answer: 'done' }
  | { answer: 'unknown' }
  | { answer: 'refused'; message: string };

export interface SignInMethods {
  providers(): Promise<StoredProvider[]>;
  /** Whether sign-in by password is enabled. */
  local(): Promise<boolean>;
  usersLinkedWith(canonical: string): Promise<AccountSignIn[]>;
}

export interface SignInMethodsTransaction extends SignInMethods {
  users(): Promise<AccountSignIn[]>;
  user(userId: number): Promise<AccountSignIn | undefined>;
  saveProvider(provider: StoredProvider, issuer: string): Promise<void>;
  /** False: there is no provider of this name. */
  removeProvider(canonical: string): Promise<boolean>;
  /**
   * Writes the audit entry, and notifies the operator of all teams with groups, because the roles of their
   * members may change.
   */
  recordProvider(
    canonical: string,
    action: 'provider.created' | 'provider.updated' | 'provider.deleted',
    act: AuditedAct,
  ): Promise<void>;
  setLocal(local: boolean, act: AuditedAct): Promise<void>;
  /** False: the account is not linked with the provider. */
  unlink(link: { userId: number; provider: string }, act: AuditedAct): Promise<boolean>;
}

export interface OAuthStore extends SignInMethods {
  /** Locks all accounts and sign-in methods. `work` acts only through its transaction. */
  withSignInMethods<T>(work: (tx: SignInMethodsTransaction) => Promise<T>): Promise<T>;
  /** False: the session that began the link has ended. */
  openFlow(stateHash: string, flow: OAuthFlow, expiresAt: Date): Promise<boolean>;
  /** Returns the flow once; undefined if there is none or it has expired. */
  takeFlow(stateHash: string, at: Date): Promise<OAuthFlow | undefined>;
  accountOf(identity: Omit<OAuthIdentity, 'provider'>): Promise<StoredCredentials | undefined>;
  /** Replaces the groups that the provider reported earlier. */
  saveGroups(identity: Omit<OAuthIdentity, 'provider'>, groups: string[], at: Date): Promise<void>;
  saveProfile(tokenHash: string, profile: WaitingProfile, expiresAt: Date): Promise<void>;
  /**
   * Creates an account for the identity and deletes the profile. `taken`: the user name is in use, or a
   * manifest lists it as a future member; the profile stays. `unknown`: no profile waits under this token for
   * this browser, its provider is disabled, or the identity has an account by now.
   */
  completeProfile(
    profile: { tokenHash: string; browserHash: string; username: string; fullName: string },
    at: Date,
  ): Promise<'created' | 'taken' | 'unknown'>;
  /**
   * `taken`: the identity is linked to another account. `over`: the session that requested the link has
   * ended.
   */
  link(
    request: LinkRequest,
    identity: OAuthIdentity & { groups: string[] },
    at: Date,
  ): Promise<'linked' | 'taken' | 'over'>;
  links(userId: number): Promise<LinkedIdentity[]>;
}

export interface OAuthAnswer {
  issuer: string;
  subject: string;
  claims: Claims;
}

/** Requests to providers. `failure` is for the log only: it may quote the provider. */
export interface OAuthClient {
  /** URL for the browser. */
  authorizationUrl(
    provider: StoredProvider,
    request: OAuthRequest,
  ): Promise<{ url: string } | { failure: string }>;
  /** Verifies the provider's answer (OpenID Connect Core 1.0, section 3.1.3.7) and returns the identity. */
  identify(
    provider: StoredProvider,
    request: OAuthRequest & { query: string },
  ): Promise<OAuthAnswer | { failure: string }>;
}

export interface OAuthRequest {
  callbackUrl: string;
  state: string;
  nonce: string;
  verifier: string;
}

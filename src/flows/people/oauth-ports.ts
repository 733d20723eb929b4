import type { Ways } from '#domain/access/lock-out.ts';
import type { Claims, OAuthProvider } from '#domain/access/oauth-provider.ts';
import type { ProviderState } from '#domain/access/provider-change.ts';
import type { Act, StoredCredentials } from './ports.ts';

/*
 * What signing in by identity providers needs from outside. The promises of `access-ports.ts` hold.
 */

export interface StoredProvider extends OAuthProvider, ProviderState {}

/** Whose account at the provider: nothing else identifies anybody. */
interface OAuthIdentity {
  issuer: string;
  subject: string;
  provider: string;
}

export interface OAuthFlow {
  provider: string;
  nonce: string;
  verifier: string;
  /** Of what the browser that began it keeps. */
  browserHash: string;
  /** Absent: to sign in. */
  link?: LinkBegun;
}

/**
 * To whose account an identity is to be linked, and in which session that was asked for: with it the link
 * ends.
 */
export interface LinkBegun {
  userId: number;
  sessionId: string;
}

interface WaitingProfile extends OAuthIdentity {
  browserHash: string;
  groups: string[];
}

export interface LinkedIdentity {
  provider: string;
  displayName?: string;
  linkedAt: Date;
}

/** `refused`: with the reason, and the reason names who would be locked out. */
export type SignInMethodsChanged =
  { answer: 'done' } | { answer: 'unknown' } | { answer: 'refused'; message: string };

/** How people can sign in. */
export interface SignInMethods {
  providers(): Promise<StoredProvider[]>;
  /** By password. */
  local(): Promise<boolean>;
  usersLinkedWith(canonical: string): Promise<Ways[]>;
}

export interface SignInMethodsTransaction extends SignInMethods {
  users(): Promise<Ways[]>;
  user(userId: number): Promise<Ways | undefined>;
  saveProvider(provider: StoredProvider, issuer: string): Promise<void>;
  /** False: there is none of this name. */
  removeProvider(canonical: string): Promise<boolean>;
  /** Writes the line of the audit log, and notifies the operator of teams whose groups it may change. */
  recordProvider(
    canonical: string,
    action: 'provider.created' | 'provider.updated' | 'provider.deleted',
    act: Act,
  ): Promise<void>;
  setLocal(local: boolean, act: Act): Promise<void>;
  /** False: they are not linked. */
  unlink(link: { userId: number; provider: string }, act: Act): Promise<boolean>;
}

export interface OAuthStore extends SignInMethods {
  /** Alone with all accounts and their ways to sign in. `work` acts only through its transaction. */
  withSignInMethods<T>(work: (tx: SignInMethodsTransaction) => Promise<T>): Promise<T>;
  /** False when the session that begins a link has ended. */
  openFlow(stateHash: string, flow: OAuthFlow, expiresAt: Date): Promise<boolean>;
  /** Once; undefined when there is none, or it is too old. */
  takeFlow(stateHash: string, at: Date): Promise<OAuthFlow | undefined>;
  accountOf(identity: Omit<OAuthIdentity, 'provider'>): Promise<StoredCredentials | undefined>;
  /** What the provider told of somebody's groups now: roles by others are gone. */
  saveGroups(identity: Omit<OAuthIdentity, 'provider'>, groups: string[], at: Date): Promise<void>;
  keepProfile(tokenHash: string, profile: WaitingProfile, expiresAt: Date): Promise<void>;
  /** An account for the identity, and the profile is used up; `taken` is the name, and leaves the profile. */
  completeProfile(
    profile: { tokenHash: string; browserHash: string; username: string; fullName: string },
    at: Date,
  ): Promise<'created' | 'taken' | 'unknown'>;
  /** `taken`: it is linked with another account; `over`: the session that began it has ended. */
  link(
    begun: LinkBegun,
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

/** Speaks with providers. `failure` is for the log: it may quote what they said. */
export interface OAuthClient {
  /** Where the browser is sent. */
  authorizationUrl(
    provider: StoredProvider,
    ask: OAuthRequest,
  ): Promise<{ url: string } | { failure: string }>;
  /** The answer that came with the browser, checked in every way that the protocol has, for who it is. */
  identify(
    provider: StoredProvider,
    ask: OAuthRequest & { query: string },
  ): Promise<OAuthAnswer | { failure: string }>;
}

export interface OAuthRequest {
  callbackUrl: string;
  state: string;
  nonce: string;
  verifier: string;
}

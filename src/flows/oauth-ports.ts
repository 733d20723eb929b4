import type { Offered, Ways } from '#domain/access/lock-out.ts';
import type { Claims, OAuthProvider } from '#domain/access/oauth-provider.ts';
import type { Act, Credentials } from './access-ports.ts';

/*
 * What signing in by identity providers needs from outside. The promises of `access-ports.ts` hold.
 */

/** A provider with the name under which the secret of our client is found. */
export interface StoredProvider extends OAuthProvider {
  secretKey: string;
  /** The API made its object, and may change it; its secret is among those that the API keeps. */
  byApi?: boolean;
  /** Of the object that says so: an older state of it changes nothing. */
  uid?: string;
  generation?: number;
}

type RefuseLoss = (users: Ways[], provider: string, offered: Offered) => string | undefined;

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

/** To whose account an identity is to be linked, and in which session that was asked for: with it the link ends. */
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
export type Kept = { answer: 'done' } | { answer: 'unknown' } | { answer: 'refused'; message: string };

export interface OAuthStore {
  providers(): Promise<StoredProvider[]>;
  local(): Promise<boolean>;
  /** What is lost by it, people would be locked out by: `refuse` is asked when it is disabled or speaks for another issuer. */
  saveProvider(provider: StoredProvider, act: Act, refuse: RefuseLoss): Promise<Kept>;
  removeProvider(canonical: string, act: Act, refuse: RefuseLoss): Promise<Kept>;
  /** What `saveProvider` and `removeProvider` would say now; they ask again. */
  checkProvider(provider: StoredProvider, refuse: RefuseLoss): Promise<Kept>;
  checkRemoval(canonical: string, refuse: RefuseLoss): Promise<Kept>;
  setLocal(
    local: boolean,
    act: Act,
    refuse: (users: Ways[], offered: Offered) => string | undefined,
  ): Promise<Kept>;
  /** False when the session that begins a link has ended. */
  openFlow(stateHash: string, flow: OAuthFlow, expiresAt: Date): Promise<boolean>;
  /** Once; undefined when there is none, or it is too old. */
  takeFlow(stateHash: string, at: Date): Promise<OAuthFlow | undefined>;
  accountOf(identity: Omit<OAuthIdentity, 'provider'>): Promise<Credentials | undefined>;
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
  unlink(
    link: { userId: number; provider: string },
    act: Act,
    refuse: (user: Ways, provider: string, offered: Offered) => string | undefined,
  ): Promise<Kept>;
}

export interface OAuthAnswer {
  issuer: string;
  subject: string;
  claims: Claims;
}

/** Speaks with providers. `failure` is for the log: it may quote what they said. */
export interface OAuthClient {
  /** Where the browser is sent. */
  authorizationUrl(provider: StoredProvider, ask: OAuthAsk): Promise<{ url: string } | { failure: string }>;
  /** The answer that came with the browser, checked in every way that the protocol has, for who it is. */
  identify(
    provider: StoredProvider,
    ask: OAuthAsk & { query: string },
  ): Promise<OAuthAnswer | { failure: string }>;
}

export interface OAuthAsk {
  callbackUrl: string;
  state: string;
  nonce: string;
  verifier: string;
}

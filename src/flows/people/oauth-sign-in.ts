import { defined } from '#defined';
import { usernameFault } from '#domain/access/names-and-passwords.ts';
import { groupsIn, suggestFullName, suggestUsername } from '#domain/access/oauth-provider.ts';
import type {
  LinkRequest,
  OAuthAnswer,
  OAuthClient,
  OAuthRequest,
  OAuthStore,
  StoredProvider,
} from './oauth-ports.ts';
import type { AccountStore } from './ports.ts';
import { openUserSession, type Caller, type OpenedSession, type SignInPorts } from './sign-in.ts';

export interface OAuthPorts extends Pick<
  SignInPorts,
  'sessions' | 'audit' | 'now' | 'newSessionId' | 'sessionSeconds'
> {
  accounts: Pick<AccountStore, 'credentials'>;
  oauth: OAuthStore;
  client: OAuthClient;
  /** A random text that nobody can guess. */
  random(): string;
  /** One-way hash. */
  digest(text: string): string;
  /** Address of the installation for callback URLs; never taken from a request. */
  externalUrl: string | undefined;
}

const LIFETIME_MS = 5 * 60_000;

export type FlowStarted =
  /** `browser`: a secret for the cookie of the browser, which must finish the flow. */
  | { answer: 'started'; url: string; browser: string }
  | { answer: 'unknown' }
  /** The installation does not know its own address, so the provider could not redirect back. */
  | { answer: 'no-address' }
  | Failed;

/** `message` is for people, `failure` for the log. */
interface Failed {
  answer: 'failed';
  message: string;
  failure?: string;
}

/**
 * Begins a sign-in at a provider, or with `link` the linking of an account. Stores what the provider's answer
 * must match, for five minutes and for one answer.
 */
export async function startFlow(
  { canonical, link: linkRequest }: { canonical: string; link?: LinkRequest },
  ports: OAuthPorts,
): Promise<FlowStarted> {
  const provider = await enabledProvider(canonical, ports);
  if (provider === undefined) return { answer: 'unknown' };
  if (ports.externalUrl === undefined) return { answer: 'no-address' };
  const state = ports.random();
  const nonce = ports.random();
  const verifier = ports.random();
  const browser = ports.random();
  const oauthRequest = { callbackUrl: callbackOf(ports.externalUrl, canonical), state, nonce, verifier };
  const authorization = await ports.client.authorizationUrl(provider, oauthRequest);
  if ('failure' in authorization)
    return { answer: 'failed', message: NOT_REACHED, failure: authorization.failure };
  const flow = { provider: canonical, nonce, verifier, browserHash: ports.digest(browser) };
  const expiresAt = new Date(ports.now().getTime() + LIFETIME_MS);
  const opened = await ports.oauth.openFlow(
    ports.digest(state),
    { ...flow, ...defined({ link: linkRequest }) },
    expiresAt,
  );
  if (!opened) return { answer: 'failed', message: CHANGED };
  return { answer: 'started', url: authorization.url, browser };
}

export interface FlowAnswer {
  canonical: string;
  /** The query of the URL to which the provider redirected the browser. */
  query: string;
  state: string;
  /** The secret that the browser got in a cookie when the flow began. */
  browser: string | undefined;
  caller: Caller;
}

export type FlowFinished =
  | { answer: 'signed-in'; session: OpenedSession }
  /** The identity has no account yet. */
  | { answer: 'profile'; token: string; username: string; fullName: string }
  | { answer: 'linked' }
  | { answer: 'taken' }
  | Failed;

/**
 * Verifies the provider's answer. Then signs in, links the account, or stores a profile that the person has
 * to complete.
 */
export async function finishFlow(answer: FlowAnswer, ports: OAuthPorts): Promise<FlowFinished> {
  const { canonical, query, state, browser } = answer;
  const flow = await ports.oauth.takeFlow(ports.digest(state), ports.now());
  if (flow?.provider !== canonical || browser === undefined || ports.digest(browser) !== flow.browserHash) {
    return {
      answer: 'failed',
      message:
        'This sign-in began in another browser, took longer than five minutes, or has ended already. Begin again.',
    };
  }
  const provider = await enabledProvider(canonical, ports);
  if (provider === undefined) return { answer: 'failed', message: DISABLED };
  const { nonce, verifier } = flow;
  const request: OAuthRequest = {
    callbackUrl: callbackOf(ports.externalUrl ?? '', canonical),
    state,
    nonce,
    verifier,
  };
  const identified = await ports.client.identify(provider, { ...request, query });
  if ('failure' in identified)
    return { answer: 'failed', message: NOT_ACCEPTED, failure: identified.failure };
  return flow.link === undefined
    ? await signInAs(provider, identified, answer, ports)
    : await link(flow.link, provider, identified, ports);
}

const DISABLED = 'An admin has disabled or deleted this provider. Sign in another way.';
const NOT_REACHED =
  'The provider cannot be reached, or its settings are wrong. Try again. ' +
  'If this keeps happening, tell an admin of the installation: the log of the gateway has the reason.';
const NOT_ACCEPTED =
  'The answer of the provider was not accepted. Sign in again. ' +
  'If this keeps happening, tell an admin of the installation: the log of the gateway has the reason.';

async function signInAs(
  { canonical, usernameClaim, groupsClaim }: StoredProvider,
  { issuer, subject, claims }: OAuthAnswer,
  { browser = '', caller }: FlowAnswer,
  ports: OAuthPorts,
): Promise<FlowFinished> {
  const groups = groupsIn(claims, groupsClaim);
  const account = await ports.oauth.accountOf({ issuer, subject });
  if (account !== undefined) {
    await ports.oauth.saveGroups({ issuer, subject }, groups, ports.now());
    const session = await openUserSession(account, BY_PROVIDER, caller, ports);
    return session === undefined ? { answer: 'failed', message: CHANGED } : { answer: 'signed-in', session };
  }
  const token = ports.random();
  const profile = { issuer, subject, provider: canonical, browserHash: ports.digest(browser), groups };
  await ports.oauth.saveProfile(ports.digest(token), profile, new Date(ports.now().getTime() + LIFETIME_MS));
  return {
    answer: 'profile',
    token,
    username: suggestUsername(claims, usernameClaim),
    fullName: suggestFullName(claims),
  };
}

const BY_PROVIDER = { action: 'user.signed_in', byProvider: true };
const CHANGED = 'The account changed while you signed in. Start again.';

async function link(
  request: LinkRequest,
  { canonical, groupsClaim }: StoredProvider,
  { issuer, subject, claims }: OAuthAnswer,
  ports: OAuthPorts,
): Promise<FlowFinished> {
  const identity = { issuer, subject, provider: canonical, groups: groupsIn(claims, groupsClaim) };
  const linked = await ports.oauth.link(request, identity, ports.now());
  return linked === 'over' ? { answer: 'failed', message: CHANGED } : { answer: linked };
}

export type ProfileCompleted =
  | { answer: 'signed-in'; session: OpenedSession }
  | { answer: 'taken' }
  | { answer: 'unknown' }
  | { answer: 'fault'; message: string };

/** Creates the account of a first sign-in under the chosen name, without any team. */
export async function completeProfile(
  profile: { token: string; browser: string | undefined; username: string; fullName: string; caller: Caller },
  ports: OAuthPorts,
): Promise<ProfileCompleted> {
  const { token, browser = '', username, fullName, caller } = profile;
  const fault = usernameFault(username);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const hashed = { tokenHash: ports.digest(token), browserHash: ports.digest(browser), username, fullName };
  const completed = await ports.oauth.completeProfile(hashed, ports.now());
  if (completed === 'taken') return { answer: 'taken' };
  if (completed === 'unknown') return { answer: 'unknown' };
  const account = await ports.accounts.credentials(username);
  const session = account && (await openUserSession(account, BY_PROVIDER, caller, ports));
  return session === undefined ? { answer: 'unknown' } : { answer: 'signed-in', session };
}

async function enabledProvider(
  canonical: string,
  { oauth }: OAuthPorts,
): Promise<StoredProvider | undefined> {
  return (await oauth.providers()).find((provider) => provider.canonical === canonical && provider.enabled);
}

function callbackOf(externalUrl: string, canonical: string): string {
  return `${externalUrl}/auth/oauth/${canonical}/callback`;
}

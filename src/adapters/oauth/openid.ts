import * as openid from 'openid-client';
import { requestedScopes } from '#domain/access/oauth-provider.ts';
import type { OAuthAnswer, OAuthClient, OAuthRequest, StoredProvider } from '#flows/people/oauth-ports.ts';

export interface OpenIdParts {
  /** The secret of our client, under the key in the provider's object. Read at each sign-in. */
  secretOf(key: string): Promise<string | undefined>;
  /** Must guard against internal addresses, because users choose the URLs. */
  fetch: openid.CustomFetch;
  now(): number;
}

/** How long the discovered metadata is valid. Keys are fetched again when one is unknown. */
const DISCOVERED_MS = 5 * 60_000;
const TIMEOUT_SECONDS = 10;

interface Known {
  configuration: openid.Configuration;
  until: number;
}

/**
 * Authorization code with PKCE, by openid-client, which checks state, nonce, issuer, signature, audience and
 * times.
 */
export function openIdClient(parts: OpenIdParts): OAuthClient {
  const known = new Map<string, Known>();

  async function configurationOf(provider: StoredProvider): Promise<openid.Configuration> {
    const secret = await parts.secretOf(provider.secretKey);
    if (secret === undefined) throw new Error(`there is no secret ${provider.secretKey} of our client`);
    const key = JSON.stringify([provider, secret]);
    const found = known.get(provider.canonical + key);
    if (found !== undefined && found.until > parts.now()) return found.configuration;
    const configuration = await configure(provider, secret, parts.fetch);
    for (const old of known.keys()) if (old.startsWith(`${provider.canonical}[`)) known.delete(old);
    known.set(provider.canonical + key, { configuration, until: parts.now() + DISCOVERED_MS });
    return configuration;
  }

  return {
    authorizationUrl: async (provider, ask) =>
      await failing(async () => ({ url: await urlOf(await configurationOf(provider), provider, ask) })),
    identify: async (provider, ask) =>
      await failing(async () => {
        const configuration = await configurationOf(provider);
        return provider.type === 'OIDC'
          ? await identifyByIdToken(configuration, ask)
          : await identifyByUserInfo(configuration, provider, ask);
      }),
  };
}

async function configure(
  provider: StoredProvider,
  secret: string,
  fetch: openid.CustomFetch,
): Promise<openid.Configuration> {
  const { clientId, issuerUrl, authUrl = '', tokenUrl = '', userInfoUrl = '' } = provider;
  if (issuerUrl !== undefined) {
    return await openid.discovery(new URL(issuerUrl), clientId, {}, secretIn(secret), {
      [openid.customFetch]: fetch,
      timeout: TIMEOUT_SECONDS,
      // Without this the library trusts TLS and does not verify the signature of an ID token.
      execute: [openid.enableNonRepudiationChecks],
    });
  }
  const server = { issuer: userInfoUrl, authorization_endpoint: authUrl, token_endpoint: tokenUrl };
  const configuration = new openid.Configuration(server, clientId, {}, openid.ClientSecretPost(secret));
  configuration[openid.customFetch] = fetch;
  configuration.timeout = TIMEOUT_SECONDS;
  return configuration;
}

/**
 * Sends the client secret in the way that the provider supports; in a header by default, as OpenID Connect
 * says.
 */
function secretIn(secret: string): openid.ClientAuth {
  const [basic, post] = [secretInHeader(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const way = methods.includes('client_secret_basic') ? basic : post;
    way(server, client, body, headers);
  };
}

/**
 * HTTP Basic authentication in the form encoding that OAuth 2.0 requires. It leaves `-`, `.` and `_` as they
 * are; the library encodes these too. Gitea and Forgejo decode nothing, and their client IDs are UUIDs.
 */
function secretInHeader(secret: string): openid.ClientAuth {
  return (_server, client, _body, headers) => {
    const credentials = [client.client_id, secret].map(formEncoded).join(':');
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

async function urlOf(
  configuration: openid.Configuration,
  provider: StoredProvider,
  { callbackUrl, state, nonce, verifier }: OAuthRequest,
): Promise<string> {
  const scopes = requestedScopes(provider);
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(provider.type === 'OIDC' && { nonce }),
  });
  return url.href;
}

type Came = OAuthRequest & { query: string };

async function identifyByIdToken(
  configuration: openid.Configuration,
  { callbackUrl, query, state, nonce, verifier }: Came,
): Promise<OAuthAnswer> {
  const tokens = await openid.authorizationCodeGrant(configuration, new URL(`${callbackUrl}?${query}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider gave no ID token');
  const { userinfo_endpoint: more } = configuration.serverMetadata();
  const reason =
    more === undefined ? {} : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { issuer: claims.iss, subject: claims.sub, claims: { ...reason, ...claims } };
}

async function identifyByUserInfo(
  configuration: openid.Configuration,
  { userInfoUrl = '' }: StoredProvider,
  { callbackUrl, query, state, verifier }: Came,
): Promise<OAuthAnswer> {
  const came = new URL(`${callbackUrl}?${query}`);
  // The issuer is unknown here. Each provider has its own callback URL, so answers cannot be mixed up.
  came.searchParams.delete('iss');
  const tokens = await openid.authorizationCodeGrant(configuration, came, {
    expectedState: state,
    pkceCodeVerifier: verifier,
  });
  const headers = new Headers({ accept: 'application/json' });
  const url = new URL(userInfoUrl);
  const answer = await openid.fetchProtectedResource(
    configuration,
    tokens.access_token,
    url,
    'GET',
    null,
    headers,
  );
  const reason: unknown = answer.ok ? await answer.json() : undefined;
  const claims: Record<string, unknown> = { ...Object(reason) };
  const subject = claims['sub'] ?? claims['id'];
  if (typeof subject !== 'string' && typeof subject !== 'number')
    throw new Error('the provider names no sub and no id');
  return { issuer: userInfoUrl, subject: String(subject), claims };
}

async function failing<T>(work: () => Promise<T>): Promise<T | { failure: string }> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? `${String(error.code)}: ` : '';
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return { failure: `${code}${error instanceof Error ? error.message : 'unknown'}${cause}`.slice(0, 500) };
  }
}

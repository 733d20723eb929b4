import * as openid from 'openid-client';
import { requestedScopes } from '#domain/access/oauth-provider.ts';
import type { OAuthAnswer, OAuthClient, OAuthRequest, StoredProvider } from '#flows/people/oauth-ports.ts';

export interface OpenIdParts {
  /**
   * Returns the client secret of Millrace for the `secretKey` of a provider; undefined if there is none.
   * Called when a sign-in begins and when it returns from the provider.
   */
  secretOf(key: string): Promise<string | undefined>;
  /** Must refuse internal addresses, because users choose the URLs. */
  fetch: openid.CustomFetch;
  now(): number;
}

/**
 * How long the discovered metadata of a provider counts as valid. The library fetches the provider's signing
 * keys again when a token names an unknown key.
 */
const METADATA_VALID_MS = 5 * 60_000;
const TIMEOUT_SECONDS = 10;

interface CachedConfiguration {
  configuration: openid.Configuration;
  validUntil: number;
}

/**
 * Signs people in by the authorization code flow with PKCE. The package openid-client checks the state and,
 * for providers of the type OIDC, the nonce, issuer, signature, audience and times of the ID token.
 */
export function openIdClient(parts: OpenIdParts): OAuthClient {
  const cachedConfigurations = new Map<string, CachedConfiguration>();

  async function configurationOf(provider: StoredProvider): Promise<openid.Configuration> {
    const secret = await parts.secretOf(provider.secretKey);
    if (secret === undefined) throw new Error(`there is no client secret ${provider.secretKey}`);
    const key = `${provider.canonical}${JSON.stringify([provider, secret])}`;
    const cached = cachedConfigurations.get(key);
    if (cached !== undefined && cached.validUntil > parts.now()) return cached.configuration;
    const configuration = await configure(provider, secret, parts.fetch);
    // Earlier settings and secrets of the same provider are not needed again.
    for (const oldKey of cachedConfigurations.keys())
      if (oldKey.startsWith(`${provider.canonical}[`)) cachedConfigurations.delete(oldKey);
    cachedConfigurations.set(key, { configuration, validUntil: parts.now() + METADATA_VALID_MS });
    return configuration;
  }

  return {
    authorizationUrl: async (provider, request) =>
      await catchFailure(async () => ({
        url: await buildAuthorizationUrl(await configurationOf(provider), provider, request),
      })),
    identify: async (provider, request) =>
      await catchFailure(async () => {
        const configuration = await configurationOf(provider);
        return provider.type === 'OIDC'
          ? await identifyByIdToken(configuration, request)
          : await identifyByUserInfo(configuration, provider, request);
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
    return await openid.discovery(new URL(issuerUrl), clientId, {}, clientAuthentication(secret), {
      [openid.customFetch]: fetch,
      timeout: TIMEOUT_SECONDS,
      // Without this, the library trusts TLS and does not verify the signature of an ID token.
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
 * Sends the client secret in a way that the provider supports: in a header if it can, which is the default of
 * OpenID Connect, otherwise in the body.
 */
function clientAuthentication(secret: string): openid.ClientAuth {
  const [basic, post] = [basicAuthentication(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, client, body, headers);
  };
}

/**
 * HTTP Basic authentication in the form encoding that OAuth 2.0 requires. This encoding keeps `-`, `.` and
 * `_`, which the library would encode too. Gitea and Forgejo decode nothing, and their client IDs are UUIDs,
 * which contain `-`.
 */
function basicAuthentication(secret: string): openid.ClientAuth {
  return (_server, client, _body, headers) => {
    const credentials = [client.client_id, secret].map(formEncoded).join(':');
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

async function buildAuthorizationUrl(
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

type CallbackRequest = OAuthRequest & { query: string };

async function identifyByIdToken(
  configuration: openid.Configuration,
  { callbackUrl, query, state, nonce, verifier }: CallbackRequest,
): Promise<OAuthAnswer> {
  const tokens = await openid.authorizationCodeGrant(configuration, new URL(`${callbackUrl}?${query}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider gave no ID token');
  const { userinfo_endpoint: userInfoEndpoint } = configuration.serverMetadata();
  const userInfo =
    userInfoEndpoint === undefined
      ? {}
      : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { issuer: claims.iss, subject: claims.sub, claims: { ...userInfo, ...claims } };
}

async function identifyByUserInfo(
  configuration: openid.Configuration,
  { userInfoUrl = '' }: StoredProvider,
  { callbackUrl, query, state, verifier }: CallbackRequest,
): Promise<OAuthAnswer> {
  const callback = new URL(`${callbackUrl}?${query}`);
  // There is no known issuer to compare `iss` with. Each provider has its own callback URL, so the answer of
  // one provider cannot pass for that of another.
  callback.searchParams.delete('iss');
  const tokens = await openid.authorizationCodeGrant(configuration, callback, {
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
  const userInfo: unknown = answer.ok ? await answer.json() : undefined;
  const claims: Record<string, unknown> = { ...Object(userInfo) };
  const subject = claims['sub'] ?? claims['id'];
  if (typeof subject !== 'string' && typeof subject !== 'number')
    throw new Error('the provider names no sub and no id');
  return { issuer: userInfoUrl, subject: String(subject), claims };
}

async function catchFailure<T>(signIn: () => Promise<T>): Promise<T | { failure: string }> {
  try {
    return await signIn();
  } catch (error) {
    const code = Error.isError(error) && 'code' in error ? `${String(error.code)}: ` : '';
    const cause = Error.isError(error) && Error.isError(error.cause) ? ` (${error.cause.message})` : '';
    return { failure: `${code}${Error.isError(error) ? error.message : 'unknown'}${cause}`.slice(0, 500) };
  }
}

import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

export interface IdTokenClaims {
  iss: string;
  sub: string;
  aud: string | string[];
  exp: number;
  iat: number;
  nonce?: string;
  azp?: string;
}

type Forge = (claims: IdTokenClaims, provider: ForgingProvider) => Promise<string>;

/** A provider whose tokens a test can forge. It implements `fetch` without a network. */
export interface ForgingProvider {
  issuer: string;
  clientId: string;
  /** The key that signs its tokens. */
  key: CryptoKey;
  publicKey: CryptoKey;
  kid: string;
  /** The content of its `jwks_uri`. */
  keys: JWK[];
  /** How often the keys were fetched. */
  keysAsked: number;
  metadata: Record<string, unknown>;
  /** The answer of its user info endpoint. */
  userInfo: Record<string, unknown>;
  nonce: string;
  /** How the next ID token is forged. */
  forge: Forge;
  newKey(kid: string): Promise<void>;
  /** The body and the header Authorization of the last request to its token endpoint. */
  received: URLSearchParams;
  authorization: string;
  fetch(url: string, init: { body?: unknown; headers?: Record<string, string> }): Promise<Response>;
}

/** Signs the claims as they are. */
export const honest: Forge = async (claims, { key, kid }) =>
  await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(key);

export async function forgingProvider(issuer: string, clientId: string): Promise<ForgingProvider> {
  const first = await generateKeyPair('ES256', { extractable: true });
  const provider: ForgingProvider = {
    issuer,
    clientId,
    key: first.privateKey,
    publicKey: first.publicKey,
    kid: '',
    keys: [],
    keysAsked: 0,
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/user`,
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
    },
    userInfo: { sub: 'ann' },
    nonce: '',
    forge: honest,
    received: new URLSearchParams(),
    authorization: '',
    async newKey(kid) {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const jwk = await exportJWK(publicKey);
      Object.assign(provider, { key: privateKey, publicKey, kid });
      provider.keys = [{ ...jwk, kid, use: 'sig', alg: 'ES256' }];
    },
    async fetch(url, { body, headers = {} }) {
      const { pathname } = new URL(url);
      if (pathname === '/token') provider.authorization = headers['authorization'] ?? '';
      return await answer(provider, pathname, body);
    },
  };
  await provider.newKey('first');
  return provider;
}

async function answer(provider: ForgingProvider, path: string, body: unknown): Promise<Response> {
  switch (path) {
    case '/.well-known/openid-configuration':
      return Response.json(provider.metadata);
    case '/keys':
      provider.keysAsked += 1;
      return Response.json({ keys: provider.keys });
    case '/user':
      return Response.json(provider.userInfo);
    default: {
      provider.received = new URLSearchParams(String(body));
      const now = Math.floor(Date.now() / 1000);
      const { issuer: iss, clientId: aud, nonce } = provider;
      const claims = { iss, sub: 'ann', aud, exp: now + 300, iat: now, nonce };
      const token = await provider.forge(claims, provider);
      return Response.json({ access_token: 'opened', token_type: 'bearer', id_token: token });
    }
  }
}

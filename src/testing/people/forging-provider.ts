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
  /** The content of its `jwks_uri`, and how often it was fetched. */
  keys: JWK[];
  keysAsked: number;
  metadata: Record<string, unknown>;
  /** The answer of its user info endpoint. */
  userInfo: Record<string, unknown>;
  nonce: string;
  /** How the next ID token is forged. */
  forge: Forge;
  newKey(kid: string): Promise<void>;
  /** The last request to its token endpoint. */
  received: URLSearchParams;
  authorization: string;
  fetch(url: string, init: { body?: unknown; headers?: Record<string, string> }): Promise<Response>;
}

export const honest: Forge = async (claims, { key, kid }) =>
  await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(key);

export async function forgingProvider(issuer: string, clientId: string): Promise<ForgingProvider> {
  const first = await generateKeyPair('ES256', { extractable: true });
  const self: ForgingProvider = {
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
      Object.assign(self, { key: privateKey, publicKey, kid });
      self.keys = [{ ...jwk, kid, use: 'sig', alg: 'ES256' }];
    },
    async fetch(url, { body, headers = {} }) {
      const { pathname } = new URL(url);
      if (pathname === '/token') self.authorization = headers['authorization'] ?? '';
      return await answer(self, pathname, body);
    },
  };
  await self.newKey('first');
  return self;
}

async function answer(self: ForgingProvider, path: string, body: unknown): Promise<Response> {
  switch (path) {
    case '/.well-known/openid-configuration':
      return Response.json(self.metadata);
    case '/keys':
      self.keysAsked += 1;
      return Response.json({ keys: self.keys });
    case '/user':
      return Response.json(self.userInfo);
    default: {
      self.received = new URLSearchParams(String(body));
      const now = Math.floor(Date.now() / 1000);
      const { issuer: iss, clientId: aud, nonce } = self;
      const claims = { iss, sub: 'ann', aud, exp: now + 300, iat: now, nonce };
      const token = await self.forge(claims, self);
      return Response.json({ access_token: 'opened', token_type: 'bearer', id_token: token });
    }
  }
}

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

/**
 * What a real provider never does: its tokens are as a test makes them. It answers a `fetch`, without a
 * network.
 */
export interface ForgingProvider {
  issuer: string;
  clientId: string;
  /** Signs what it should. */
  key: CryptoKey;
  publicKey: CryptoKey;
  kid: string;
  /** What stands at its `jwks_uri`, and how often that was asked for. */
  keys: JWK[];
  keysAsked: number;
  metadata: Record<string, unknown>;
  /** What its user info says of whom. */
  userInfo: Record<string, unknown>;
  nonce: string;
  /** The ID token of the next answer. */
  forge: Forge;
  newKey(kid: string): Promise<void>;
  /** What it was told at its token endpoint, last. */
  received: URLSearchParams;
  fetch(url: string, init: { body?: unknown }): Promise<Response>;
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
    async newKey(kid) {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const jwk = await exportJWK(publicKey);
      Object.assign(self, { key: privateKey, publicKey, kid });
      self.keys = [{ ...jwk, kid, use: 'sig', alg: 'ES256' }];
    },
    fetch: async (url, init) => await answer(self, new URL(url).pathname, init.body),
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

import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair, importPKCS8, SignJWT } from 'jose';
import type { PublicJwk } from '#flows/pipelines/identity-key-ports.ts';

const ALGORITHM = 'ES256';

export interface IdentityKeyPair {
  /** Thumbprint of the public key (RFC 7638). */
  id: string;
  publicKey: PublicJwk;
  /** PEM. */
  privateKey: string;
}

/** Makes a key pair that signs identity tokens. */
export async function makeIdentityKeyPair(): Promise<IdentityKeyPair> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const { x = '', y = '' } = await exportJWK(pair.publicKey);
  const id = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y });
  return {
    id,
    publicKey: { kty: 'EC', crv: 'P-256', x, y, kid: id, alg: ALGORITHM, use: 'sig' },
    privateKey: await exportPKCS8(pair.privateKey),
  };
}

export type SignIdentity = (claims: Record<string, unknown>) => Promise<string>;

/** Returns a function that signs claims with this key and adds none of its own. */
export async function identitySigner(id: string, privatePem: string): Promise<SignIdentity> {
  const key = await importPKCS8(privatePem, ALGORITHM);
  return async (claims) =>
    await new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: id }).sign(key);
}

/** The `location` for `sealValue` and `openValue` when they encrypt a private key of identity tokens. */
export const identityKeyLocation = (id: string): string => `identity/${id}`;

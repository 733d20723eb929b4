import type { KeyTerm } from '#domain/build/identity-keys.ts';
import type { SealedValue } from './secret-ports.ts';

/** A public key as verifiers get it (RFC 7517). */
export interface PublicJwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  kid: string;
  alg: 'ES256';
  use: 'sig';
}

/** A key that signs identity tokens, without its private half. */
interface IdentityKey extends KeyTerm {
  publicKey: PublicJwk;
}

export interface SealedIdentityKey extends KeyTerm {
  /** The private key. */
  sealed: SealedValue;
}

export interface NewIdentityKey {
  id: string;
  publicKey: PublicJwk;
  sealed: SealedValue;
}

export interface IdentityKeyTransaction {
  keys(): Promise<SealedIdentityKey[]>;
  /** Writes the audit entry too. */
  add(key: NewIdentityKey, signsFrom: Date, at: Date): Promise<void>;
  /** Writes the audit entry too. */
  remove(id: string, at: Date): Promise<void>;
}

export interface IdentityKeyStore {
  publicKeys(): Promise<IdentityKey[]>;
  sealedKeys(): Promise<SealedIdentityKey[]>;
  /** Only one caller at a time runs `work`, over all processes. */
  withKeys<T>(work: (tx: IdentityKeyTransaction) => Promise<T>): Promise<T>;
}

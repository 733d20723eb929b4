import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  hash,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { SealedValue } from '#flows/pipelines/secret-ports.ts';

/*
 * Envelope encryption of stored secrets and of the private keys of identity tokens. Each value has an
 * AES-256-GCM key of its own, which RSA-OAEP wraps with the public key of the installation. A process that
 * has only the public key can store values, but not read them.
 */

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MODULUS_BITS = 3072;
const PADDING = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };

/** Both keys are in PEM. */
export interface StoreKeyPair {
  publicKey: string;
  privateKey: string;
}

export async function makeStoreKeyPair(): Promise<StoreKeyPair> {
  return await promisify(generateKeyPair)('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Returns the id of a key pair, by which rows of the database name the key that wraps their value. */
function storeKeyId(key: KeyObject): string {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex').slice(0, 16);
}

export function storeKeyIdOf(publicPem: string): string {
  return storeKeyId(createPublicKey(publicPem));
}

/** `location` names the row that will hold the value. A value that is moved to another row does not open. */
export function sealValue(publicPem: string, value: string, location: string): SealedValue {
  const publicKey = createPublicKey(publicPem);
  const key = randomBytes(32);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(location));
  const text = [cipher.update(value, 'utf8'), cipher.final()];
  return {
    ciphertext: Buffer.concat([nonce, ...text, cipher.getAuthTag()]),
    wrappedKey: publicEncrypt({ key: publicKey, ...PADDING }, key),
    keyId: storeKeyId(publicKey),
  };
}

/** Returns private keys by their ids. Ignores empty texts. */
export function storeKeys(privatePems: readonly string[]): ReadonlyMap<string, KeyObject> {
  const keys = privatePems.filter((pem) => pem.trim() !== '').map((pem) => createPrivateKey(pem));
  return new Map(keys.map((key) => [storeKeyId(key), key]));
}

/**
 * Decrypts a value. Returns undefined if `keys` lacks its key. Throws if the value was changed, or was sealed
 * for another location.
 */
export function openValue(
  keys: ReadonlyMap<string, KeyObject>,
  { ciphertext, wrappedKey, keyId }: SealedValue,
  location: string,
): string | undefined {
  const privateKey = keys.get(keyId);
  if (privateKey === undefined) return undefined;
  const key = privateDecrypt({ key: privateKey, ...PADDING }, wrappedKey);
  const end = ciphertext.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(location)).setAuthTag(ciphertext.subarray(end));
  const text = decipher.update(ciphertext.subarray(NONCE_BYTES, end));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

/**
 * Returns the same value with its AES key wrapped for another public key; undefined if `keys` lacks the
 * private key that unwraps it.
 */
export function rewrapValue(
  keys: ReadonlyMap<string, KeyObject>,
  { ciphertext, wrappedKey, keyId }: SealedValue,
  publicPem: string,
): SealedValue | undefined {
  const privateKey = keys.get(keyId);
  if (privateKey === undefined) return undefined;
  const publicKey = createPublicKey(publicPem);
  const key = privateDecrypt({ key: privateKey, ...PADDING }, wrappedKey);
  return {
    ciphertext,
    wrappedKey: publicEncrypt({ key: publicKey, ...PADDING }, key),
    keyId: storeKeyId(publicKey),
  };
}

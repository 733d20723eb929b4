import { generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { X509Certificate as Issued } from '@peculiar/x509';

// The package requires this polyfill to be loaded first.
await import('reflect-metadata');
const x509 = await import('@peculiar/x509');

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 3600 * 1000;
const authorityDays = 3650;
const leafDays = 365;
/** `up` replaces a certificate this many days before it expires. It never replaces an authority. */
const renewDays = 30;

/** A key and its certificate, as files. */
export type Pair = { readonly certificate: string; readonly key: string };

/** Subject of a certificate. */
export type Subject = { readonly name: string; readonly group?: string; readonly hosts?: readonly string[] };

/** The paths of a pair. */
export function pairAt(folder: string, name: string): Pair {
  return { certificate: `${folder}/${name}.crt`, key: `${folder}/${name}.key` };
}

/** Creates a certificate authority if it does not exist. */
export async function ensureAuthority(pair: Pair, name: string): Promise<void> {
  if (existsSync(pair.certificate) && existsSync(pair.key)) {
    return;
  }
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
    notBefore: yesterday(),
    notAfter: inDays(authorityDays),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  await writePair(pair, certificate, keys.privateKey);
}

/**
 * Creates a certificate if there is none, or if it is of another authority, lacks a host, or expires soon.
 */
export async function ensureCertificate(authority: Pair, pair: Pair, subject: Subject): Promise<void> {
  if (isUsable(authority, pair, subject)) {
    return;
  }
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(readFileSync(authority.certificate, 'utf8'));
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [subject.name] }, ...(subject.group === undefined ? [] : [{ O: [subject.group] }])],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await readKey(authority.key),
    signingAlgorithm: algorithm,
    notBefore: yesterday(),
    notAfter: inDays(leafDays),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.clientAuth,
        x509.ExtendedKeyUsage.serverAuth,
      ]),
      ...(subject.hosts === undefined
        ? []
        : [new x509.SubjectAlternativeNameExtension(subject.hosts.map(generalName))]),
    ],
  });
  await writePair(pair, certificate, keys.privateKey);
}

/** Creates the key pair that signs service account tokens, as two PEM files, if it does not exist. */
export function ensureSigningKeys(files: { readonly privateKey: string; readonly publicKey: string }): void {
  if (existsSync(files.privateKey) && existsSync(files.publicKey)) {
    return;
  }
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeSecret(files.privateKey, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  writeSecret(files.publicKey, keys.publicKey.export({ type: 'spki', format: 'pem' }).toString());
}

/** Writes a file atomically, readable by its owner only. */
export function writeSecret(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function isUsable(authority: Pair, pair: Pair, subject: Subject): boolean {
  if (!existsSync(pair.certificate) || !existsSync(pair.key)) {
    return false;
  }
  const certificate = new X509Certificate(readFileSync(pair.certificate));
  const issuer = new X509Certificate(readFileSync(authority.certificate));
  return (
    certificate.verify(issuer.publicKey) &&
    certificate.validToDate.getTime() > Date.now() + renewDays * dayMs &&
    (subject.hosts ?? []).every((host) => isValidFor(certificate, host))
  );
}

function isValidFor(certificate: X509Certificate, host: string): boolean {
  const found = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return found !== undefined;
}

function generalName(host: string): { type: 'ip' | 'dns'; value: string } {
  return { type: isIP(host) === 0 ? 'dns' : 'ip', value: host };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function readKey(path: string): Promise<webcrypto.CryptoKey> {
  const der = x509.PemConverter.decodeFirst(readFileSync(path, 'utf8'));
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

async function writePair(pair: Pair, certificate: Issued, key: webcrypto.CryptoKey): Promise<void> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  writeSecret(pair.key, x509.PemConverter.encode(der, x509.PemConverter.PrivateKeyTag));
  writeSecret(pair.certificate, certificate.toString('pem'));
}

/** Certificates are valid from a day ago, because the clock of a restarted machine may be behind. */
function yesterday(): Date {
  return new Date(Date.now() - dayMs);
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * dayMs);
}

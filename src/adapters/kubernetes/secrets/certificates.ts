import { webcrypto, X509Certificate } from 'node:crypto';
import type * as Library from '@peculiar/x509';

/** A certificate and its key, both PEM. */
export interface CertificateAndKey {
  certificate: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVER_DAYS = 90;
/**
 * A server certificate is renewed when fewer days than this are left. An authority is renewed when it has
 * less time left than the lifetime of a server certificate.
 */
const RENEW_DAYS = 30;
/** Certificates are valid from this long before their creation, because the clocks of nodes differ. */
const BACKDATED_MS = 300_000;

/** Creates a certificate authority for the servers of one installation. */
export async function makeAuthority(name: string, now: Date): Promise<CertificateAndKey> {
  const x509 = await library();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: ALGORITHM,
    ...lifetime(now, AUTHORITY_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

/** Creates a server certificate for the host names, signed by the authority. */
export async function makeServerCertificate(
  authority: CertificateAndKey,
  hosts: string[],
  now: Date,
): Promise<CertificateAndKey> {
  const x509 = await library();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [hosts[0] ?? ''] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await keyFrom(authority.key),
    signingAlgorithm: ALGORITHM,
    ...lifetime(now, SERVER_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns' as const, value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

/** Whether the authority is valid for longer than a server certificate that it would sign today. */
export function authorityIsGood(authority: CertificateAndKey | undefined, now: Date): boolean {
  const certificate = parseCertificate(authority);
  return certificate !== undefined && certificate.ca && daysLeft(certificate, now) > SERVER_DAYS;
}

/**
 * Whether the authority has signed the certificate, and the certificate is for all the hosts and not due for
 * renewal.
 */
export function serverCertificateIsGood(
  pair: CertificateAndKey | undefined,
  authority: CertificateAndKey,
  hosts: string[],
  now: Date,
): boolean {
  const certificate = parseCertificate(pair);
  const issuer = parseCertificate(authority);
  if (certificate === undefined || issuer === undefined) return false;
  return (
    certificate.verify(issuer.publicKey) &&
    hosts.every((host) => certificate.checkHost(host) !== undefined) &&
    daysLeft(certificate, now) > RENEW_DAYS
  );
}

function parseCertificate(pair: CertificateAndKey | undefined): X509Certificate | undefined {
  try {
    return pair === undefined ? undefined : new X509Certificate(pair.certificate);
  } catch {
    return undefined;
  }
}

function daysLeft(certificate: X509Certificate, now: Date): number {
  return (certificate.validToDate.getTime() - now.getTime()) / DAY_MS;
}

function lifetime(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + days * DAY_MS),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const body = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = body.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

function keyFrom(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

/** The library is loaded only to create a certificate, to save memory. */
async function library(): Promise<typeof Library> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

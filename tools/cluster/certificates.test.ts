import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ensureAuthority, ensureCertificate, pairAt, type Pair } from './certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'pki-'));
const authority = pairAt(folder, 'authority');
const server = pairAt(folder, 'server');
const subject = { name: 'server', group: 'group', hosts: ['localhost', '127.0.0.1'] };

beforeAll(async () => {
  await ensureAuthority(authority, 'test');
  await ensureCertificate(authority, server, subject);
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(pair: Pair): X509Certificate {
  return new X509Certificate(readFileSync(pair.certificate));
}

test('a certificate is signed by its authority, has its host names and matches its key', () => {
  const certificate = read(server);
  expect(certificate.verify(read(authority).publicKey)).toBe(true);
  expect(certificate.checkIssued(read(authority))).toBe(true);
  expect(certificate.subject).toBe('CN=server\nO=group');
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(server.key)))).toBe(true);
  expect(certificate.ca).toBe(false);
});

test('only the owner can read a key', () => {
  expect(statSync(server.key).mode & 0o777).toBe(0o600);
});

test.each([
  ['the same subject is kept', subject, false],
  ['fewer hosts is kept', { ...subject, hosts: ['localhost'] }, false],
  ['another host name is replaced', { ...subject, hosts: ['localhost', 'other'] }, true],
  ['another address is replaced', { ...subject, hosts: ['127.0.0.2'] }, true],
])('a certificate that is requested again with %s', async (_, requested, isReplaced) => {
  await ensureCertificate(authority, server, subject);
  const before = read(server).serialNumber;
  await ensureCertificate(authority, server, requested);
  expect(read(server).serialNumber !== before).toBe(isReplaced);
});

test('a certificate of another authority is replaced', async () => {
  const other = pairAt(folder, 'other');
  await ensureAuthority(other, 'test');
  await ensureCertificate(authority, server, subject);
  await ensureCertificate(other, server, subject);
  expect(read(server).verify(read(other).publicKey)).toBe(true);
});

test('an authority is kept', async () => {
  const before = readFileSync(authority.certificate, 'utf8');
  await ensureAuthority(authority, 'test');
  expect(readFileSync(authority.certificate, 'utf8')).toBe(before);
});

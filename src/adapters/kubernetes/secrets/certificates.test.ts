import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  authorityIsGood,
  makeAuthority,
  makeServerCertificate,
  serverCertificateIsGood,
  type CertificateAndKey,
} from './certificates.ts';

const now = new Date('2026-11-21T12:00:00Z');
const days = (count: number): Date => new Date(now.getTime() + count * 86_400_000);
const hosts = ['millrace-internal.ci.svc', 'millrace-internal'];

let authority: CertificateAndKey;
let server: CertificateAndKey;
beforeAll(async () => {
  authority = await makeAuthority('test authority', now);
  server = await makeServerCertificate(authority, hosts, now);
});

test('the authority may sign certificates, but no further authority', () => {
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test('the server certificate is signed by the authority, for its hosts and serving only', () => {
  const certificate = new X509Certificate(server.certificate);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  expect(certificate.subjectAltName).toBe('DNS:millrace-internal.ci.svc, DNS:millrace-internal');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

describe('a pair is kept as long as it is good', () => {
  test.each<[string, () => boolean, boolean]>([
    ['right after it was made', () => serverCertificateIsGood(server, authority, hosts, now), true],
    [
      'while more than a month is left',
      () => serverCertificateIsGood(server, authority, hosts, days(59)),
      true,
    ],
    ['not in its last month', () => serverCertificateIsGood(server, authority, hosts, days(61)), false],
    [
      'not for a further host',
      () => serverCertificateIsGood(server, authority, [...hosts, 'other'], now),
      false,
    ],
    [
      'not when it cannot be read',
      () => serverCertificateIsGood({ certificate: '', key: '' }, authority, hosts, now),
      false,
    ],
    ['the authority for years', () => authorityIsGood(authority, days(3500)), true],
    ['the authority not when a server could outlive it', () => authorityIsGood(authority, days(3600)), false],
    ['a server is no authority', () => authorityIsGood(server, now), false],
  ])('%s', (_, isGood, expected) => {
    expect(isGood()).toBe(expected);
  });

  test('not under another authority', async () => {
    const other = await makeAuthority('test authority', now);
    expect(serverCertificateIsGood(server, other, hosts, now)).toBe(false);
  });
});

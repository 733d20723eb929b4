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

test('the authority may sign certificates, but no further authorities', () => {
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test('the server certificate is signed by the authority, only for its hosts and for serving', () => {
  const certificate = new X509Certificate(server.certificate);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  expect(certificate.subjectAltName).toBe('DNS:millrace-internal.ci.svc, DNS:millrace-internal');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

describe('a stored certificate and its key', () => {
  test.each<[string, () => boolean, boolean]>([
    [
      'stay in use directly after they were made',
      () => serverCertificateIsGood(server, authority, hosts, now),
      true,
    ],
    [
      'stay in use while more than a month is left',
      () => serverCertificateIsGood(server, authority, hosts, days(59)),
      true,
    ],
    [
      'are replaced in their last month',
      () => serverCertificateIsGood(server, authority, hosts, days(61)),
      false,
    ],
    [
      'are replaced for an additional host',
      () => serverCertificateIsGood(server, authority, [...hosts, 'other'], now),
      false,
    ],
    [
      'are replaced if they cannot be read',
      () => serverCertificateIsGood({ certificate: '', key: '' }, authority, hosts, now),
      false,
    ],
    ['stay in use for years as an authority', () => authorityIsGood(authority, days(3500)), true],
    [
      'are replaced as an authority that a server certificate could outlive',
      () => authorityIsGood(authority, days(3600)),
      false,
    ],
    [
      'are replaced if a server certificate is used as an authority',
      () => authorityIsGood(server, now),
      false,
    ],
  ])('%s', (_, isGood, expected) => {
    expect(isGood()).toBe(expected);
  });

  test('are replaced under another authority', async () => {
    const other = await makeAuthority('test authority', now);
    expect(serverCertificateIsGood(server, other, hosts, now)).toBe(false);
  });
});

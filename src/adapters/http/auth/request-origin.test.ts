import { describe, expect, test } from '@jest/globals';
import { isEncrypted, originOf, ownOrigin } from './request-origin.ts';

interface Case {
  origin: string | undefined;
  host: string;
  protocol?: 'http' | 'https';
  own: string | undefined;
  encrypted: boolean;
}

const CASES: Record<string, Case> = {
  'a port-forward': {
    origin: 'http://localhost:8080',
    host: 'localhost:8080',
    own: 'http://localhost:8080',
    encrypted: false,
  },
  'the Service inside the cluster': {
    origin: 'http://millrace-public.ci.svc',
    host: 'millrace-public.ci.svc',
    own: 'http://millrace-public.ci.svc',
    encrypted: false,
  },
  'an IPv4 address': {
    origin: 'http://10.96.0.7',
    host: '10.96.0.7',
    own: 'http://10.96.0.7',
    encrypted: false,
  },
  'an IPv6 address': {
    origin: 'http://[::1]:8080',
    host: '[::1]:8080',
    own: 'http://[::1]:8080',
    encrypted: false,
  },
  'another host whose name looks like an IPv6 address': {
    origin: 'http://[::1].evil.example',
    host: '[::1]',
    own: undefined,
    encrypted: false,
  },
  'a default port that only one of them contains': {
    origin: 'http://ci.lan',
    host: 'CI.lan:80',
    own: 'http://ci.lan',
    encrypted: false,
  },
  'a proxy that ends TLS without forwarding headers': {
    origin: 'https://ci.lan',
    host: 'ci.lan',
    own: 'https://ci.lan',
    encrypted: true,
  },
  'a trusted proxy that ends TLS': {
    origin: 'https://ci.lan',
    host: 'ci.lan',
    protocol: 'https',
    own: 'https://ci.lan',
    encrypted: true,
  },
  'a program that sends no Origin': { origin: undefined, host: 'ci.lan', own: undefined, encrypted: false },
  'a program behind a trusted proxy that ends TLS': {
    origin: undefined,
    host: 'ci.lan',
    protocol: 'https',
    own: undefined,
    encrypted: true,
  },
  'another host': { origin: 'http://evil.example', host: 'ci.lan', own: undefined, encrypted: false },
  'another port of the same host': {
    origin: 'http://localhost:9090',
    host: 'localhost:8080',
    own: undefined,
    encrypted: false,
  },
  'a host whose name starts with ours': {
    origin: 'https://ci.lan.evil.example',
    host: 'ci.lan',
    own: undefined,
    encrypted: false,
  },
  'a page without TLS for the same host with TLS': {
    origin: 'http://ci.lan',
    host: 'ci.lan',
    protocol: 'https',
    own: undefined,
    encrypted: true,
  },
  'the opaque origin null': { origin: 'null', host: 'null', own: undefined, encrypted: false },
  'an origin that is not a web page': {
    origin: 'ftp://ci.lan',
    host: 'ci.lan',
    own: undefined,
    encrypted: false,
  },
  'an invalid host': { origin: 'http://ci.lan', host: '', own: undefined, encrypted: false },
};

describe('the Origin header is compared with the requested host for', () => {
  test.each(Object.entries(CASES))('%s', (_, { origin, host, protocol = 'http', own, encrypted }) => {
    const request = { headers: origin === undefined ? {} : { origin }, host, protocol };
    expect([ownOrigin(request), isEncrypted(request)]).toEqual([own, encrypted]);
  });
});

test('originOf returns the origin of an external URL, with or without a path and a default port', () => {
  expect(originOf('https://ci.example.org:443/under')).toBe('https://ci.example.org');
  expect(originOf(undefined)).toBeUndefined();
});

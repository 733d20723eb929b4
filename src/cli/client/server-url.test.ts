import { describe, expect, test } from '@jest/globals';
import { isLoopback, serverUrl } from './server-url.ts';

describe('the URL of a server', () => {
  const cases: Record<string, string> = {
    'https://ci.example.org': 'https://ci.example.org',
    'https://CI.example.org/': 'https://ci.example.org',
    'https://ci.example.org:443': 'https://ci.example.org',
    'https://ci.example.org:8443/': 'https://ci.example.org:8443',
    'http://localhost:8080': 'http://localhost:8080',
    'http://127.0.0.1:8080/': 'http://127.0.0.1:8080',
    'http://[::1]:8080': 'http://[::1]:8080',
  };
  test.each(Object.entries(cases))('%s is normalized to %s', (text, origin) => {
    expect(serverUrl(text)).toBe(origin);
  });

  const refused: Record<string, [text: string, message: string]> = {
    'an invalid URL': ['ci.example.org', 'is not the address of a server: write it like https://'],
    'another protocol': ['ftp://ci.example.org', 'is not the address of a server'],
    'a URL with a path': [
      'https://ci.example.org/teams/main',
      'the address of a server has no path: write https://ci.example.org',
    ],
    'a URL with a query': ['https://ci.example.org/?a=b', 'the address of a server has no path'],
    'a URL with a user name': ['https://ann@ci.example.org', 'remove the name and password'],
    'no TLS': ['http://ci.example.org', 'anyone on the network path could read the token: use https'],
    'no TLS, and a name that only begins like this machine': ['http://localhost.example.org', 'use https'],
    'no TLS, and an address that begins like one of this machine': [
      'http://127.0.0.1.example.org',
      'use https',
    ],
    'no TLS, on the network of this machine': ['http://192.168.1.2', 'use https'],
  };
  test.each(Object.entries(refused))('is refused: %s', (_name, [text, message]) => {
    expect(() => serverUrl(text)).toThrow(message);
  });

  test('is refused without repeating its password', () => {
    expect(() => serverUrl('https://ann:secret@ci.example.org')).toThrow(
      /^remove the name and password from the address: run millrace login https:\/\/ci\.example\.org --username <name>$/,
    );
  });

  test.each(['ann:secret@ci.example.org', 'ftp://ann:secret@ci.example.org', 'secret'])(
    'is refused without repeating invalid text: %s',
    (text) => {
      expect(() => serverUrl(text)).toThrow(/^(?!.*secret).*is not the address of a server/);
    },
  );

  test('may use HTTP for every spelling of the local machine', () => {
    const hosts = ['http://127.1', 'http://2130706433', 'http://0x7f.1', 'http://ci.localhost'];
    expect(hosts.map((host) => isLoopback(new URL(host).hostname))).toEqual(hosts.map(() => true));
    expect(isLoopback('::ffff:127.0.0.1')).toBe(false);
  });
});

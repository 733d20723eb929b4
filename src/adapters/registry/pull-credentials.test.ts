import { describe, expect, test } from '@jest/globals';
import { readImageName } from './image-name.ts';
import { credentialsFor, credentialText } from './pull-credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const config = (auths: Record<string, unknown>): string => JSON.stringify({ auths });
const credentialOf = (name: string) => ({ auth: base64(`${name}:secret`) });

/** User names of the matching credentials, in order. */
const matchingUsers = (image: string, ...texts: string[]): string[] =>
  credentialsFor(readImageName(image), texts).map(({ username }) => username);

test('credentials for the same server are tried in the order of their Secrets', () => {
  const texts = ['first', 'second'].map((name) => config({ 'registry.example': credentialOf(name) }));
  expect(matchingUsers('registry.example/tool', ...texts)).toEqual(['first', 'second']);
});

describe('credentials match', () => {
  const cases: Record<string, [server: string, image: string, matches: boolean]> = {
    'for the host': ['registry.example', 'registry.example/tool', true],
    'for the host of a URL': ['https://registry.example/v2/', 'registry.example/tool', true],
    'but not for another host': ['registry.example', 'other.example/tool', false],
    'but not for a host that begins with it': ['registry.example', 'registry.example.org/tool', false],
    'for the port': ['registry.example:5000', 'registry.example:5000/tool', true],
    'but not for another port': ['registry.example', 'registry.example:5000/tool', false],
    'for a path before the repository': ['registry.example/team', 'registry.example/team/tool', true],
    'but not for another path': ['registry.example/team', 'registry.example/other/tool', false],
    'for one label of a host by a wildcard': ['*.example', 'registry.example/tool', true],
    'but not for two labels by one wildcard': ['*.example', 'a.registry.example/tool', false],
    'for pieces of a label by wildcards': ['re*is*y.example', 'registry.example/tool', true],
    'but not if a piece is missing': ['re*z*y.example', 'registry.example/tool', false],
    'but not if pieces overlap': ['regis*istry.example', 'registry.example/tool', false],
    'for the default registry by its old URL': ['https://index.docker.io/v1/', 'alpine', true],
    'for the default registry by its name': ['docker.io', 'team/tool', true],
    'but not for another registry by the path of the default one': [
      'https://index.docker.io/v1/',
      'registry.example/a',
      false,
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [server, image, matches]) => {
    expect(matchingUsers(image, config({ [server]: credentialOf('robot') }))).toEqual(
      matches ? ['robot'] : [],
    );
  });

  test('without exponential time for a hostile pattern', () => {
    const server = `${'a*'.repeat(200)}b.example`;
    expect(
      matchingUsers(`${'a'.repeat(60)}.example/tool`, config({ [server]: credentialOf('robot') })),
    ).toEqual([]);
  });
});

test('credentials of all Secrets come in order, the most specific server first', () => {
  const wideSecret = config({
    'registry.example': credentialOf('wide'),
    '*.example': credentialOf('wildest'),
  });
  const narrowSecret = config({ 'registry.example/team': credentialOf('narrow') });
  expect(matchingUsers('registry.example/team/tool', wideSecret, narrowSecret)).toEqual([
    'narrow',
    'wide',
    'wildest',
  ]);
});

describe('an entry of the credentials', () => {
  const cases: Record<string, [entry: unknown, credentials: object[]]> = {
    'is read as name and password': [{ username: 'a', password: 'b' }, [{ username: 'a', password: 'b' }]],
    'is read from base64': [{ auth: base64('a:b:c') }, [{ username: 'a', password: 'b:c' }]],
    'is read from base64 before name and password': [
      { auth: base64('a:b'), username: 'c', password: 'd' },
      [{ username: 'a', password: 'b' }],
    ],
    'is skipped if its base64 has no colon': [{ auth: base64('ab') }, []],
    'is skipped without a password': [{ username: 'a' }, []],
    'is skipped if it is not an object': ['a:b', []],
  };
  test.each(Object.entries(cases))('%s', (_name, [entry, credentials]) => {
    const text = config({ 'registry.example': entry });
    expect(credentialsFor(readImageName('registry.example/tool'), [text])).toEqual(credentials);
  });

  test.each(['', 'no JSON', 'null', '[]', '{"auths": []}'])('is not found in %j', (text) => {
    expect(credentialsFor(readImageName('registry.example/tool'), [text])).toEqual([]);
  });
});

describe('the credentials of a Secret', () => {
  const text = config({ 'registry.example': credentialOf('robot') });

  test('of the usual type are the text of its file', () => {
    const data = { '.dockerconfigjson': base64(text) };
    expect(credentialText('kubernetes.io/dockerconfigjson', data)).toBe(text);
  });

  test('of the old type are the servers', () => {
    const old = JSON.stringify({ 'registry.example': credentialOf('robot') });
    expect(credentialText('kubernetes.io/dockercfg', { '.dockercfg': base64(old) })).toBe(old);
    expect(matchingUsers('registry.example/tool', old)).toEqual(['robot']);
  });

  test('of another type are absent', () => {
    expect(credentialText('Opaque', { '.dockerconfigjson': base64(text) })).toBeUndefined();
    expect(credentialText(undefined, {})).toBeUndefined();
  });
});

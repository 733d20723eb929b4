import { expect, test } from '@jest/globals';
import { readAuthChallenge } from './auth-challenge.ts';

const realm = 'https://auth.example/token';

const cases: Record<string, [header: string | undefined, challenge: object | undefined]> = {
  'a token': [
    `Bearer realm="${realm}",service="registry.example",scope="repository:team/tool:pull"`,
    { scheme: 'bearer', realm, service: 'registry.example', scope: 'repository:team/tool:pull' },
  ],
  'a token, with spaces and other capitals': [
    `bearer  Realm = "${realm}" , service=registry.example`,
    { scheme: 'bearer', realm, service: 'registry.example' },
  ],
  'a scope with commas': [
    `Bearer realm="${realm}",scope="repository:tool:pull,push"`,
    { scheme: 'bearer', realm, scope: 'repository:tool:pull,push' },
  ],
  'a quoted quote': [`Bearer realm="${realm}",service="a\\"b"`, { scheme: 'bearer', realm, service: 'a"b' }],
  'a password': ['Basic realm="Registry"', { scheme: 'basic' }],
  'a password without a realm': ['Basic', { scheme: 'basic' }],
  'a token rather than a password': [`Basic realm="x", Bearer realm="${realm}"`, { scheme: 'bearer', realm }],
  'a password, if a token has no realm': ['Bearer error="insufficient_scope", Basic', { scheme: 'basic' }],
  'another scheme': ['Negotiate', undefined],
  'an empty header': ['', undefined],
  'no header': [undefined, undefined],
};
test.each(Object.entries(cases))('readAuthChallenge reads %s', (_name, [header, challenge]) => {
  expect(readAuthChallenge(header)).toEqual(challenge);
});

test('a long header takes linear time', () => {
  expect(readAuthChallenge(`Bearer ${'a="\\'.repeat(100_000)}`)).toBeUndefined();
});

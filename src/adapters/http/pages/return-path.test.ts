import { describe, expect, test } from '@jest/globals';
import { returnPath } from './return-path.ts';

describe('a login', () => {
  const ours = [
    '/teams',
    '/teams/main/pipelines/app',
    '/teams/main/pipelines/app/jobs/unit-%5Bnode-24%5D/builds/12.1',
    '/profile',
    '/admin/oauth-providers/github',
    '/admin/audit?action=user.signed_in&before=12',
    '/users/ann',
    '/teams/main/pipelines/app/jobs/unit/builds?before=12&status=failed',
  ];
  test.each(ours)('returns to %s', (path) => expect(returnPath(path)).toBe(path));

  const others = [
    undefined,
    7,
    '',
    '/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' /teams',
    'https://evil.example/teams',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/teams//evil.example',
    '/teams/..//evil.example',
    '/teams/../../auth/logout',
    '/teams/%2e%2e%2fx%2f',
    '/teams/%5c%5cevil.example',
    '/teams/%0d%0aSet-Cookie:a=b',
    '/teamsevil',
    '/adminevil',
    '/admin//evil.example',
    '/admin/../auth/logout',
    '/teams@evil.example',
    '/teams?x=//evil.example',
    '/auth/oauth/one',
    '/\u2044evil.example',
    `/teams/${'a'.repeat(600)}`,
  ];
  test.each(others)('returns to the start page instead of %j', (path) =>
    expect(returnPath(path)).toBe('/teams'),
  );
});

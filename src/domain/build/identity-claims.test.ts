import { describe, expect, test } from '@jest/globals';
import type { Pipeline, Resource } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { GetStep } from '#domain/pipeline/steps.ts';
import {
  decideIdentity,
  whyNoIdentity,
  type IdentifiedBuild,
  type IdentityClaims,
} from './identity-claims.ts';

const AT = 1_900_000_000;
const ISSUER = 'https://ci.test';
const SHA = '6a1f0c4'.padEnd(40, '0');
const SUBJECT = 'team:web:pipeline:shop:job:deploy';

interface Source {
  type?: string;
  params?: Record<string, string>;
  version: Record<string, string>;
  trigger?: boolean;
}

function buildWith(sources: Source[], more: Partial<IdentifiedBuild> = {}): IdentifiedBuild {
  const gets = sources.map(({ type = 'git', trigger = false }, index): GetStep => ({
    kind: 'get',
    name: `source-${index}`,
    resource: `${type}.source-${index}`,
    trigger,
    passed: [],
  }));
  const resources = sources.map(({ type = 'git', params = {} }, index): Resource => ({
    name: `${type}.source-${index}`,
    type,
    label: `source-${index}`,
    params,
    tags: [],
    cache: false,
  }));
  const definition: Pipeline = {
    resourceTypes: [
      { name: 'git', builtIn: true, params: [], cache: false, origin: { source: 'svc://git' } },
      { name: 'box', builtIn: false, params: [], cache: false },
      { name: 'cron', builtIn: true, params: [], cache: false, origin: { source: 'svc://cron' } },
    ],
    resources,
    jobs: [{ name: 'deploy', identity: [{ audience: 'sts.amazonaws.com' }], steps: gets }],
  };
  const versions = sources.map(({ version }) => version);
  return {
    team: 'web',
    pipeline: 'shop',
    job: 'deploy',
    number: '7',
    attempt: 2,
    definition,
    versions,
    ...more,
  };
}

function claimsOf(build: IdentifiedBuild, seconds?: number): IdentityClaims | undefined {
  const issue = { externalUrl: ISSUER, at: AT, ...(seconds !== undefined && { seconds }) };
  const decision = decideIdentity(build, issue);
  if (decision.answer === 'refuse') throw new Error(decision.reason);
  return decision.tokens[0]?.claims;
}

const BRANCH: Source = { params: { branch: 'main' }, version: { ref: SHA }, trigger: true };
const REQUEST: Source = { version: { ref: SHA, pr: '12' } };
const SECRET_BRANCH: Source = {
  params: { branch: makeSecretPlaceholder('branch') },
  version: { ref: SHA },
  trigger: true,
};
const followed = (branch: string): Source => ({
  params: { branches: '*, release/*' },
  version: { ref: SHA, branch },
  trigger: true,
});

describe('an identity token', () => {
  test('names its issuer, its audience and its build', () => {
    expect(claimsOf(buildWith([BRANCH]))).toEqual({
      iss: ISSUER,
      sub: `${SUBJECT}:ref:refs/heads/main`,
      aud: 'sts.amazonaws.com',
      iat: AT,
      nbf: AT - 60,
      exp: AT + 600,
      team: 'web',
      pipeline: 'shop',
      job: 'deploy',
      build: '7',
      attempt: 2,
      ref: 'refs/heads/main',
      sha: SHA,
      fork: false,
    });
  });

  test.each<[title: string, sources: Source[], ref: string | undefined]>([
    ['the branch of its git resource', [BRANCH], 'refs/heads/main'],
    ['the pull request of its version', [REQUEST], 'refs/pull/12/head'],
    ['the tag of its version', [{ version: { ref: SHA, tag: 'v1' } }], 'refs/tags/v1'],
    ['no ref for the default branch', [{ version: { ref: SHA }, trigger: true }], undefined],
    ['no ref without git', [{ type: 'box', version: { ref: SHA, pr: '1' }, trigger: true }], undefined],
    ['no ref without gets', [], undefined],
    [
      'the ref of the get that triggers',
      [{ params: { branch: 'tools' }, version: { ref: 'x' } }, BRANCH],
      'refs/heads/main',
    ],
    [
      'the ref of the first get if none triggers',
      [
        { ...BRANCH, trigger: false },
        { params: { branch: 'tools' }, version: {} },
      ],
      'refs/heads/main',
    ],
    ['the ref of a pull request before that of a branch', [BRANCH, REQUEST], 'refs/pull/12/head'],
    ['an unknown ref if the branch is a secret', [SECRET_BRANCH], 'unknown'],
    ['the branch of its version', [followed('release/1')], 'refs/heads/release/1'],
    [
      'an unknown ref if its version lacks the branch',
      [{ ...followed(''), version: { ref: SHA } }],
      'unknown',
    ],
    [
      'an unknown ref if code of another type triggers',
      [
        { ...BRANCH, trigger: false },
        { type: 'box', version: {}, trigger: true },
      ],
      'unknown',
    ],
    [
      'the ref of its code if time triggers',
      [
        { ...BRANCH, trigger: false },
        { type: 'cron', version: { date: 'x' }, trigger: true },
      ],
      'refs/heads/main',
    ],
  ])('has %s', (_title, sources, ref) => {
    const claims = claimsOf(buildWith(sources));
    expect(claims?.ref).toBe(ref);
    expect(claims?.sub).toBe(ref === undefined ? SUBJECT : `${SUBJECT}:ref:${ref}`);
  });

  test('has another subject for each mode of git and each branch, so that each needs trust of its own', () => {
    const modes: Record<string, Source> = {
      default: { version: { ref: SHA }, trigger: true },
      branch: BRANCH,
      secretBranch: SECRET_BRANCH,
      branches: followed('release/1'),
      otherBranch: followed('feature'),
      tag: { params: { tag: 'true' }, version: { ref: SHA, tag: 'main' }, trigger: true },
      request: { ...REQUEST, params: { pr: 'true', branch: 'main' }, trigger: true },
    };
    const subjects = Object.values(modes).map((source) => claimsOf(buildWith([source]))?.sub);
    expect(new Set(subjects).size).toBe(Object.keys(modes).length);
  });

  test.each<[title: string, given: { seconds: number | undefined; lifetime: number }]>([
    ['ten minutes', { seconds: undefined, lifetime: 600 }],
    ['ten minutes at most', { seconds: 3600, lifetime: 600 }],
    ['no longer than its step', { seconds: 90, lifetime: 90 }],
    ['at least a minute', { seconds: 5, lifetime: 60 }],
  ])('is valid for %s', (_title, { seconds, lifetime }) => {
    const { exp = 0, iat = 0 } = claimsOf(buildWith([BRANCH]), seconds) ?? {};
    expect(exp - iat).toBe(lifetime);
  });

  test('is issued for each audience, in the variable of its name', () => {
    const build = buildWith([]);
    const identity = [{ audience: 'a' }, { name: 'my-vault', audience: 'b' }];
    const definition = { ...build.definition, jobs: [{ name: 'deploy', identity, steps: [] }] };
    const decision = decideIdentity({ ...build, definition }, { externalUrl: ISSUER, at: AT });
    const tokens = 'tokens' in decision ? decision.tokens : [];
    expect(tokens.map(({ variable, claims }) => [variable, claims.aud])).toEqual([
      ['MILLRACE_ID_TOKEN', 'a'],
      ['MILLRACE_ID_TOKEN_MY_VAULT', 'b'],
    ]);
  });
});

describe('a build gets no identity token', () => {
  const fork: Source = { version: { ref: SHA, pr: '12', fork: 'true' } };

  test.each<[title: string, build: IdentifiedBuild, given: { externalUrl?: string; reason: RegExp }]>([
    ['for a pull request from a fork', buildWith([fork]), { reason: /^git\.source-0 has a pull request/ }],
    [
      'without externalURL',
      buildWith([BRANCH]),
      { externalUrl: '', reason: /has no externalURL\. Set externalURL in the chart's values/ },
    ],
    [
      'if externalURL is without TLS',
      buildWith([BRANCH]),
      { externalUrl: 'http://ci.test', reason: /externalURL is http:\/\/ci\.test, without TLS/ },
    ],
  ])('%s', (_title, build, { externalUrl = ISSUER, reason }) => {
    const issue = { externalUrl: externalUrl === '' ? undefined : externalUrl, at: AT };
    expect(decideIdentity(build, issue)).toEqual({
      answer: 'refuse',
      reason: expect.stringMatching(reason),
    });
  });

  test('if its job does not ask for one', () => {
    const build = buildWith([]);
    const definition = { ...build.definition, jobs: [{ name: 'deploy', steps: [] }] };
    const decision = decideIdentity({ ...build, definition }, { externalUrl: ISSUER, at: AT });
    expect(decision).toEqual({ answer: 'refuse', reason: 'The job deploy has no identity.' });
  });

  test('for a fork, unless the resource gives forks its secrets; then the token says that it is for a fork', () => {
    const build = buildWith([{ ...fork, params: { fork_secrets: 'true' } }]);
    expect(claimsOf(build)).toMatchObject({ fork: true, ref: 'refs/pull/12/head' });
  });
});

test('a pipeline with identity needs an https address, and the reason names the job', () => {
  const { definition } = buildWith([]);
  expect(whyNoIdentity(definition, ISSUER)).toBeUndefined();
  expect(whyNoIdentity({ ...definition, jobs: [] }, undefined)).toBeUndefined();
  expect(whyNoIdentity(definition, undefined)).toMatch(/^The job deploy has identity\. Identity tokens need/);
});

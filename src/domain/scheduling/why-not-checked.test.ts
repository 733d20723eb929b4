import { describe, expect, test } from '@jest/globals';
import { decideBuilds } from './decide-builds.ts';
import type { BuildRequest, Facts } from './facts.ts';
import { whyNotChecked } from './why-not-checked.ts';

test.each<[string, Parameters<typeof whyNotChecked>[0], string[]]>([
  ['a check that ended has no reason', [{ resource: 'git.app', result: 'checked' }], []],
  [
    'a check that failed says why',
    [{ resource: 'git.app', result: 'failed', error: 'no such host' }],
    ['The check of git.app failed: no such host'],
  ],
  [
    'a check that took too long says so',
    [{ resource: 'git.app', result: 'late' }],
    ['The check of git.app did not end within 25 seconds.'],
  ],
])('%s', (_sentence, checks, messages) => {
  expect(whyNotChecked(checks).map(({ message }) => message)).toEqual(messages);
});

const request: BuildRequest = {
  id: 7,
  by: 'ann',
  checks: [{ resource: 'git.app', result: 'late' }],
  checking: true,
};

const facts = (buildRequest: BuildRequest, more: { paused?: boolean; newest?: number } = {}): Facts => ({
  paused: false,
  resources: [{ id: 1, name: 'git.app', ...(more.newest !== undefined && { newest: more.newest }) }],
  jobs: [
    {
      id: 1,
      name: 'unit',
      paused: more.paused === true,
      gets: [{ resource: 1, trigger: false, passed: [], every: false, baseline: 0, unused: [] }],
      requests: [buildRequest],
    },
  ],
  passes: [],
  used: [],
});

describe('triggers that wait for checks', () => {
  test('a trigger that waits for checks has no build and no refusal yet, even if versions are known', () => {
    expect(decideBuilds(facts(request, { newest: 3 }))).toMatchObject({ builds: [], refused: [] });
  });

  test('a trigger is refused at once while the job is paused', () => {
    const { refused } = decideBuilds(facts(request, { newest: 3, paused: true }));
    expect(refused.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toEqual(['JobPaused']);
  });

  test('a trigger gets a build that says which checks were late', () => {
    const { builds } = decideBuilds(facts({ ...request, checking: false }, { newest: 3 }));
    expect(builds).toMatchObject([{ versions: [3], cause: { kind: 'manual', checks: request.checks } }]);
  });

  test('a refused trigger names the failed checks and the inputs that lack a version', () => {
    const failed: BuildRequest = {
      ...request,
      checking: false,
      checks: [{ resource: 'git.app', result: 'failed', error: 'no such host' }],
    };
    const { refused } = decideBuilds(facts(failed));
    expect(refused.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toEqual([
      'NoVersion',
      'CheckFailed',
    ]);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { stepsIn } from './plan-tree.ts';
import { planWithoutSecrets, whyWithoutSecrets, withoutSecrets } from './withhold-secrets.ts';

const TOKEN = makeSecretPlaceholder('forge/token');

const shell = (cmd: string): { runner: 'shell'; cmd: string } => ({ runner: 'shell', cmd });

function pipeline(params: Record<string, string> = {}): Pipeline {
  return {
    resourceTypes: [
      { name: 'git', builtIn: true, params: [], cache: false, pull: shell('clone'), push: shell('push') },
      { name: 'own', builtIn: false, params: [], cache: false, pull: shell('fetch') },
    ],
    resources: [
      {
        name: 'git.app',
        type: 'git',
        label: 'app',
        params: { token: TOKEN, ...params },
        tags: [],
        cache: false,
      },
      { name: 'own.site', type: 'own', label: 'site', params: { token: TOKEN }, tags: [], cache: false },
    ],
    jobs: [
      {
        name: 'unit',
        steps: [
          { kind: 'get', name: 'app', resource: 'git.app', trigger: true, passed: [] },
          { kind: 'get', name: 'site', resource: 'own.site', trigger: false, passed: [] },
          { kind: 'task', name: 'test', run: shell(`login ${TOKEN}`) },
          { kind: 'put', name: 'app', resource: 'git.app', params: { tag: TOKEN } },
        ],
      },
    ],
  };
}

const build = { id: '1', team: 'main', pipeline: 'app', job: 'unit', number: '1', attempt: 1 };
const FORK = { ref: 'a', pr: '7', fork: 'true' };

describe('a build has no secrets', () => {
  test('if one of its versions comes from a fork, and the reason names the resource', () => {
    expect(whyWithoutSecrets(pipeline(), 'unit', [FORK, {}])).toMatch(
      /^git\.app has a pull request from a fork, /,
    );
    expect(whyWithoutSecrets(pipeline(), 'unit', [{}, FORK])).toMatch(
      /^own\.site has a pull request from a fork, /,
    );
  });

  test.each<[title: string, params: Record<string, string>, version: Record<string, string>]>([
    ['no version comes from a fork', {}, { ref: 'a', pr: '7' }],
    ['the resource gives forks its secrets', { fork_secrets: 'true' }, FORK],
  ])('unless %s', (_title, params, version) => {
    expect(whyWithoutSecrets(pipeline(params), 'unit', [version, {}])).toBeUndefined();
  });
});

describe('the plan of a build without secrets', () => {
  const definition = pipeline();
  const plan = planWithoutSecrets(
    { build, pipeline: definition, versions: [FORK, {}] },
    withoutSecrets(definition),
    'why',
  );
  const steps = stepsIn(plan.steps);

  test('gives secrets only to gets of built-in types', () => {
    expect(steps.map((step) => JSON.stringify(step).includes(TOKEN))).toEqual([true, false, false, false]);
    expect(steps[1]?.env['param_token']).toBe('');
    expect(steps[2]?.command?.script).toBe('login ');
    expect(steps[3]).toMatchObject({ env: { param_token: '', put_tag: '' }, params: { tag: '' } });
  });

  test('gives the reason why there are no secrets', () => expect(plan.notice).toBe('why'));
});

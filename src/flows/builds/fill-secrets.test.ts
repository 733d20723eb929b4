import { describe, expect, test } from '@jest/globals';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { filledWork } from '#testing/flows/agent-ports.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { planWithSecrets } from './fill-secrets.ts';
import type { AttemptFacts } from './ports.ts';

const placeholder = makeSecretPlaceholder('forge/token');
const other = makeSecretPlaceholder('cloud/key');

/** A job that gets `git.app` with the token, and uses both secrets in a task. */
function factsOf(version: Record<string, string>, params: Record<string, string> = {}): AttemptFacts {
  const cmd = `login ${placeholder} ${other}`;
  return {
    id: 1,
    team: 'main',
    pipeline: 'app',
    namespace: 'main',
    job: 'unit',
    number: '1',
    attempt: 1,
    pipelineId: 1,
    createdAt: new Date(0),
    status: 'started',
    retries: 0,
    versions: [version],
    definition: samplePipeline({
      resources: [resource('git.app', { params: { token: placeholder, ...params } })],
      jobs: [job('unit', get('git.app'), { kind: 'task', name: 'test', run: { runner: 'shell', cmd } })],
    }),
  };
}

const asked: string[][] = [];
const secrets = {
  read: async (_namespace: string, names: string[]) => {
    asked.push(names);
    return { answer: 'read' as const, values: new Map(names.map((name) => [name, `value of ${name}`])) };
  },
};

describe('the plan of a build', () => {
  test('a build of its own repository has its secrets', async () => {
    const work = filledWork(await planWithSecrets(factsOf({ ref: 'a' }), secrets));
    expect(work.steps[1]?.command?.script).toBe('login value of forge/token value of cloud/key');
    expect(work.notice).toBeUndefined();
  });

  test('a build of a fork has secrets in the get only, reads no others, and says so', async () => {
    asked.length = 0;
    const work = filledWork(await planWithSecrets(factsOf({ ref: 'a', fork: 'true' }), secrets));
    expect(work.steps.map(({ env }) => env['param_token'])).toEqual(['value of forge/token', undefined]);
    expect(work.steps[1]?.command?.script).toBe('login  ');
    expect(asked).toEqual([['forge/token']]);
    expect(work.notice).toContain('git.app has a pull request from a fork');
  });

  test('a build of a fork has all secrets if the resource says so', async () => {
    const work = filledWork(
      await planWithSecrets(factsOf({ ref: 'a', fork: 'true' }, { fork_secrets: 'true' }), secrets),
    );
    expect(work.steps[1]?.command?.script).toBe('login value of forge/token value of cloud/key');
  });
});

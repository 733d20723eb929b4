import { expect, test } from '@jest/globals';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { filledWork } from '#testing/flows/agent-ports.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { checkRunWithSecrets, planWithSecrets } from './fill-secrets.ts';

const secrets = {
  read: (_namespace: string, names: string[]) =>
    Promise.resolve({
      answer: 'read' as const,
      values: new Map(names.map((name) => [name, `value of ${name}`])),
    }),
};
const token = makeSecretPlaceholder('git/token');
const identity = { team: 'main', pipeline: 'app', namespace: 'main', pipelineId: 1 };

/** What must not be read: any work on it throws. */
function untouchable(name: string): Job {
  const one = job(name, task('never'));
  Object.defineProperty(one, 'toJSON', {
    enumerable: false,
    value: () => {
      throw new Error(`${name} was written out for a plan that does not hold it`);
    },
  });
  return one;
}

const definition = samplePipeline({
  resources: [resource('git.app', { params: { url: token } }), resource('git.other')],
  jobs: [job('unit', get('git.app'), task('test')), untouchable('large')],
});

test('filling in the secrets of a build touches only its own job of a large definition', async () => {
  const facts = {
    id: 7,
    job: 'unit',
    number: '3',
    attempt: 1,
    createdAt: new Date(0),
    status: 'pending',
  } as const;
  const work = filledWork(
    await planWithSecrets(
      { ...identity, ...facts, retries: 0, versions: [{ ref: 'a' }], definition },
      secrets,
    ),
  );
  expect(work.secrets).toEqual(['value of git/token']);
  expect(JSON.stringify(work.steps)).toContain('value of git/token');
});

test('filling in the secrets of a check touches only its own resource', async () => {
  const checks = [{ scope: 4, resource: 'git.app' }];
  const work = filledWork(await checkRunWithSecrets({ ...identity, run: 9, definition, checks }, secrets));
  expect(work.secrets).toEqual(['value of git/token']);
  expect(work.checks).toHaveLength(1);
});

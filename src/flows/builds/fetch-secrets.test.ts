import { expect, test } from '@jest/globals';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { fetchSecrets, type FetchSecretsPorts } from './fetch-secrets.ts';
import type { AttemptFacts } from './ports.ts';
import type { SecretsAnswer } from './session-ports.ts';

const names = { team: 'main', pipeline: 'app', namespace: 'main', pipelineId: 1 };
const definition = samplePipeline({
  resources: [resource('git.app', { params: { token: makeSecretPlaceholder('forge/token') } })],
  jobs: [job('unit', get('git.app'))],
});
const attempt: AttemptFacts = {
  ...names,
  id: 41,
  job: 'unit',
  number: '7',
  attempt: 2,
  createdAt: new Date(0),
  status: 'started',
  retries: 0,
  versions: [{ ref: 'a' }],
  definition,
};

function ports(read: SecretsAnswer): FetchSecretsPorts {
  const checks = [{ scope: 5, resource: 'git.app' }];
  return {
    secrets: { read: () => Promise.resolve(read) },
    builds: { attemptFacts: async (build, number) => (build === 41 && number === 2 ? attempt : undefined) },
    checks: { runFacts: async (run) => (run === 7 ? { ...names, run: 7, definition, checks } : undefined) },
  };
}

const KNOWN: SecretsAnswer = { answer: 'read', values: new Map([['forge/token', 'hunter2']]) };
const BUILD = { kind: 'build', build: 41, attempt: 2 } as const;
const RUN = { kind: 'checks', run: 7 } as const;

test.each([
  ['a step of its build', BUILD, '0'],
  ['a check of its run', RUN, '5'],
])('an agent gets the secrets of %s', async (_title, session, operation) => {
  expect(await fetchSecrets(session, { operation }, ports(KNOWN))).toMatchObject({
    answer: 'filled',
    masks: ['hunter2'],
    operation: { env: { param_token: 'hunter2' } },
  });
});

test.each([
  ['a build whose attempt was replaced', { ...BUILD, attempt: 1 }, '0', 'over'],
  ['a run that was closed', { ...RUN, run: 8 }, '5', 'over'],
  ['a step that the build does not have', BUILD, '5', 'unknown'],
  ['a check of another run', RUN, '6', 'unknown'],
])('an agent gets no secrets of %s', async (_title, session, operation, answer) => {
  expect(await fetchSecrets(session, { operation }, ports(KNOWN))).toEqual({ answer });
});

test('an agent has to wait while a store is unreachable', async () => {
  const reason = 'The kubernetes secret forge/token has no value: reading Secret main/forge: away.';
  const unavailable: SecretsAnswer = { answer: 'unavailable', reason };
  expect(await fetchSecrets(BUILD, { operation: '0' }, ports(unavailable))).toEqual({
    answer: 'wait',
    reason,
  });
});

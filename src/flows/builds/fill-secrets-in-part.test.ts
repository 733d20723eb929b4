import { expect, test } from '@jest/globals';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { fillCheck, fillStep, runForAgent } from './fill-secrets.ts';
import type { SecretOwner } from './session-ports.ts';

const secrets = {
  read: (_owner: SecretOwner, lookups: readonly SecretLookup[]) =>
    Promise.resolve({
      answer: 'read' as const,
      values: new Map(lookups.map(({ name }) => [name, `value of ${name}`])),
    }),
};
const token = makeSecretPlaceholder('git/token');
const identity = { team: 'main', pipeline: 'app', namespace: 'main', pipelineId: 1 };

/** A job that throws when it is encoded as JSON. */
function unencodable(name: string): Job {
  const unused = job(name, task('never'));
  Object.defineProperty(unused, 'toJSON', {
    enumerable: false,
    value: () => {
      throw new Error(`${name} was encoded for a plan that does not contain it`);
    },
  });
  return unused;
}

const definition = samplePipeline({
  resources: [resource('git.app', { params: { url: token } }), resource('git.other')],
  jobs: [job('unit', get('git.app'), task('test')), unencodable('large')],
});

const WITH_TOKEN = { masks: ['value of git/token'], operation: { env: { param_url: 'value of git/token' } } };

test('filling in the secrets of a step encodes only its own job of the definition', async () => {
  const facts = {
    id: 7,
    job: 'unit',
    number: '3',
    attempt: 1,
    createdAt: new Date(0),
    status: 'pending',
  } as const;
  const attempt = { ...identity, ...facts, retries: 0, versions: [{ ref: 'a' }], definition };
  expect(await fillStep(attempt, { id: '0', given: new Map() }, secrets)).toMatchObject(WITH_TOKEN);
});

test('filling in the secrets of a check encodes only its own resource, and no job', async () => {
  const checks = [{ scope: 4, resource: 'git.app' }];
  const run = { ...identity, run: 9, definition, checks };
  expect(await fillCheck(run, { id: '4', given: new Map() }, secrets)).toMatchObject(WITH_TOKEN);
  expect(runForAgent(run).checks).toMatchObject([{ needsSecrets: true, env: { param_url: token } }]);
});

test('only the check whose secret has no value is refused, with the reason', async () => {
  const missing = new Map([['git/token', 'It is gone.']]);
  const noValues = { read: async () => ({ answer: 'read' as const, values: new Map(), missing }) };
  const checks = ['git.app', 'git.other'].map((name, scope) => ({ scope, resource: name }));
  const run = { ...identity, run: 9, definition, checks };
  expect(await fillCheck(run, { id: '0', given: new Map() }, noValues)).toMatchObject({
    operation: { refusal: 'It is gone.' },
  });
  expect(runForAgent(run).checks.map(({ needsSecrets }) => needsSecrets)).toEqual([true, undefined]);
});

test('notifications of a build get their secrets, and placeholders in versions and inputs read none', async () => {
  const lookalike = { ref: makeSecretPlaceholder('git/other') };
  const notified = samplePipeline({
    notificationTypes: [
      { name: 'chat', builtIn: false, params: ['key'], notify: { runner: 'shell', cmd: 'send' } },
    ],
    notifications: [{ name: 'chat.a', type: 'chat', label: 'a', params: { key: token }, on: ['cancel'] }],
  });
  const ended = { moment: 'ended', number: '7', status: 'cancelled' } as const;
  const cancelled = {
    ...ended,
    id: 5,
    build: 9,
    notifications: ['chat.a'],
    versions: [lookalike],
    inputs: lookalike,
  };
  const notifications = { job: 'unit', builds: [cancelled] };
  const facts = { ...identity, run: 9, definition: notified, checks: [], notifications };
  expect(await fillCheck(facts, { id: '5.0', given: new Map() }, secrets)).toMatchObject({
    masks: ['value of git/token'],
    operation: { env: { param_key: 'value of git/token', version_ref: lookalike.ref } },
  });
});

test('hooks of new versions get their secrets, and placeholders in the versions read none', async () => {
  const lookalike = { ref: makeSecretPlaceholder('git/other') };
  const run = { runner: 'shell' as const, cmd: `tell ${token}` };
  const hooked = {
    ...job('unit', get('git.app', { trigger: true })),
    onTrigger: [{ kind: 'command' as const, run }],
  };
  const hooks = { resource: 'git.app', leftMs: 20_000, versions: [{ id: 12, fields: lookalike }] };
  const pipeline = samplePipeline({ jobs: [hooked] });
  const facts = { ...identity, run: 9, definition: pipeline, checks: [], hooks };
  expect(await fillCheck(facts, { id: '12.0', given: new Map() }, secrets)).toMatchObject({
    masks: ['value of git/token'],
    operation: { command: { script: 'tell value of git/token' }, env: { version_ref: lookalike.ref } },
  });
});

import { describe, expect, test } from '@jest/globals';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import { stepsIn } from '#domain/planning/plan-tree.ts';
import type { PlanStep } from '#domain/planning/plan.ts';
import { filledIn } from '#testing/flows/agent-ports.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { fillStep, planForAgent } from './fill-secrets.ts';
import type { AttemptFacts } from './ports.ts';
import type { SecretOwner, TeamSecrets } from './session-ports.ts';

const tokenPlaceholder = makeSecretPlaceholder('forge/token');
const keyPlaceholder = makeSecretPlaceholder('cloud/key');

/** A job that gets `git.app` with the token, and uses both secrets in a task. */
function factsOf(version: Record<string, string>, params: Record<string, string> = {}): AttemptFacts {
  const cmd = `login ${tokenPlaceholder} ${keyPlaceholder}`;
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
      resources: [resource('git.app', { params: { token: tokenPlaceholder, ...params } })],
      jobs: [job('unit', get('git.app'), { kind: 'task', name: 'test', run: { runner: 'shell', cmd } })],
    }),
  };
}

const namesRead: string[][] = [];
const secrets = {
  read: async (_owner: SecretOwner, lookups: readonly SecretLookup[]) => {
    const names = lookups.map(({ name }) => name);
    namesRead.push(names);
    return { answer: 'read' as const, values: new Map(names.map((name) => [name, `value of ${name}`])) };
  },
};

const operation = (id: string) => ({ id, given: new Map() });

/** An operation of a build, with the values of its secrets. */
async function filledStep(facts: AttemptFacts, id: string, from: TeamSecrets = secrets): Promise<PlanStep> {
  const filled = filledIn(await fillStep(facts, operation(id), from));
  if (!('kind' in filled)) throw new Error(`${id} is not a step`);
  return filled;
}

const needsSecretsOf = (facts: AttemptFacts): unknown[] =>
  stepsIn(planForAgent(facts).steps).map(({ needsSecrets }) => needsSecrets);

describe('the plan of a build', () => {
  test('has no value of a secret, and says which steps need some', () => {
    const facts = factsOf({ ref: 'a' });
    const plan = planForAgent(facts);
    expect(stepsIn(plan.steps)[1]?.command?.script).toBe(`login ${tokenPlaceholder} ${keyPlaceholder}`);
    expect(needsSecretsOf(facts)).toEqual([true, true]);
    expect(plan.notice).toBeUndefined();
  });

  test('has the timeout of the team if the job has none', () => {
    const facts = factsOf({ ref: 'a' });
    expect(planForAgent({ ...facts, defaultTimeoutSeconds: 900 }).timeoutSeconds).toBe(900);
    expect(planForAgent(facts).timeoutSeconds).toBe(21_600);
  });

  test('of a fork has secrets in the get only, and says so', () => {
    const facts = factsOf({ ref: 'a', fork: 'true' });
    const plan = planForAgent(facts);
    expect(needsSecretsOf(facts)).toEqual([true, undefined]);
    expect(stepsIn(plan.steps)[1]?.command?.script).toBe('login  ');
    expect(plan.notice).toContain('git.app has a pull request from a fork');
  });

  test('keeps an input whose value looks like a secret unchanged, and marks no step for it', () => {
    const facts = factsOf({ ref: 'a' });
    const inputs = [{ name: 'who', type: 'string' as const, default: '' }];
    const jobs = [{ ...job('unit', get('git.app'), task('test')), inputs }];
    const resources = [resource('git.app')];
    const changed = {
      ...facts,
      definition: samplePipeline({ resources, jobs }),
      inputs: { who: tokenPlaceholder },
    };
    expect(stepsIn(planForAgent(changed).steps).map(({ env }) => env['INPUT_WHO'])).toEqual([
      tokenPlaceholder,
      tokenPlaceholder,
    ]);
    expect(needsSecretsOf(changed)).toEqual([undefined, undefined]);
  });
});

describe('a step', () => {
  test('gets the secrets that it names, and no others are read', async () => {
    namesRead.length = 0;
    const facts = factsOf({ ref: 'a' });
    expect((await filledStep(facts, '1')).command?.script).toBe(
      'login value of forge/token value of cloud/key',
    );
    expect((await filledStep(facts, '0')).env['param_token']).toBe('value of forge/token');
    expect(namesRead).toEqual([['forge/token', 'cloud/key'], ['forge/token']]);
    expect(await fillStep(facts, operation('0'), secrets)).toMatchObject({ masks: ['value of forge/token'] });
  });

  test('gets the value that the secret has when the step starts', async () => {
    const values = ['first', 'second'];
    const read = async () => ({
      answer: 'read' as const,
      values: new Map([['forge/token', values.shift() ?? '']]),
    });
    const token = async () => (await filledStep(factsOf({ ref: 'a' }), '0', { read })).env['param_token'];
    expect([await token(), await token()]).toEqual(['first', 'second']);
  });

  test('that the build does not have is unknown', async () => {
    expect(await fillStep(factsOf({ ref: 'a' }), operation('7'), secrets)).toEqual({ answer: 'unknown' });
  });

  test('of a fork reads secrets for its get only', async () => {
    namesRead.length = 0;
    const facts = factsOf({ ref: 'a', fork: 'true' });
    expect((await filledStep(facts, '0')).env['param_token']).toBe('value of forge/token');
    expect((await filledStep(facts, '1')).command?.script).toBe('login  ');
    expect(namesRead.flat()).toEqual(['forge/token']);
  });

  test('keeps an input whose value looks like a secret unchanged, and reads no secret for it', async () => {
    namesRead.length = 0;
    const facts = factsOf({ ref: 'a' });
    const inputs = [{ name: 'who', type: 'string' as const, default: '' }];
    const jobs = facts.definition.jobs.map((withoutInputs) => ({ ...withoutInputs, inputs }));
    const fake = `${makeSecretPlaceholder('stolen/key')} ${tokenPlaceholder}`;
    const changed = { ...facts, definition: { ...facts.definition, jobs }, inputs: { who: fake } };
    expect((await filledStep(changed, '1')).env['INPUT_WHO']).toBe(fake);
    expect(namesRead).toEqual([['forge/token', 'cloud/key']]);
  });

  test('of a fork gets all secrets if the resource says so', async () => {
    const facts = factsOf({ ref: 'a', fork: 'true' }, { fork_secrets: 'true' });
    expect((await filledStep(facts, '1')).command?.script).toBe(
      'login value of forge/token value of cloud/key',
    );
  });
});

/** Facts whose secrets are of a type that the pipeline defines. */
function withCustomType(version: Record<string, string>): AttemptFacts {
  const facts = factsOf(version);
  const text = JSON.stringify(facts.definition)
    .replaceAll(tokenPlaceholder, makeSecretPlaceholder('token'))
    .replaceAll(keyPlaceholder, makeSecretPlaceholder('key'));
  const command = { runner: 'shell' as const, cmd: 'show-secrets' };
  const definition: AttemptFacts['definition'] = {
    ...JSON.parse(text),
    secretTypes: [{ name: 'safe', builtIn: false, config: {}, get: command }],
    secrets: ['token', 'key'].map((name) => ({ name, type: 'safe', key: name })),
  };
  return { ...facts, definition };
}

describe('the get of a secret type of the pipeline', () => {
  test('runs in a build of a fork for its get only, in a Pod with the containers of any other build', async () => {
    const facts = withCustomType({ ref: 'a', fork: 'true' });
    expect(await fillStep(facts, operation('0'), secrets)).toMatchObject({
      answer: 'run',
      gets: [{ values: [{ name: 'token', key: 'token' }], command: { container: 'secrets' } }],
    });
    expect(needsSecretsOf(facts)).toEqual([true, undefined]);
    expect(planForAgent(facts).containers).toEqual(planForAgent(withCustomType({ ref: 'a' })).containers);
  });

  test('gives its value to the step', async () => {
    const given = new Map([['token', { value: 'hunter2' }]]);
    const answer = await fillStep(withCustomType({ ref: 'a', fork: 'true' }), { id: '0', given }, secrets);
    expect(answer).toMatchObject({ operation: { env: { param_token: 'hunter2' } }, masks: ['hunter2'] });
  });

  test('cannot give a value to a secret of another type', async () => {
    const given = new Map([['forge/token', { value: 'forged' }]]);
    const answer = await fillStep(factsOf({ ref: 'a' }), { id: '0', given }, secrets);
    expect(answer).toMatchObject({ operation: { env: { param_token: 'value of forge/token' } } });
  });
});

describe('a build of a fork reads a secret for its get only', () => {
  test.each(['env', 'file', 'kubernetes', 'store', 'vault'])('of the type %s', async (type) => {
    namesRead.length = 0;
    const facts = factsOf({ ref: 'a', fork: 'true' });
    const text = JSON.stringify(facts.definition)
      .replaceAll(tokenPlaceholder, makeSecretPlaceholder('token'))
      .replaceAll(keyPlaceholder, makeSecretPlaceholder('key'));
    const definition: AttemptFacts['definition'] = {
      ...JSON.parse(text),
      secretTypes: [{ name: type, builtIn: true, origin: { source: `svc://${type}` }, config: {} }],
      secrets: ['token', 'key'].map((name) => ({ name, type, key: name, path: 'kv/app' })),
    };
    const changed = { ...facts, definition };
    expect((await filledStep(changed, '0')).env['param_token']).toBe('value of token');
    expect(JSON.stringify(await filledStep(changed, '1'))).not.toContain('value of');
    expect(namesRead.flat()).toEqual(['token']);
  });
});

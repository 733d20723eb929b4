import { describe, expect, test } from '@jest/globals';
import { makeSecretPlaceholder as placeholder } from '#domain/pipeline/secret-placeholder.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { lookUpSecrets, type GivenSecrets } from './read-secrets.ts';
import type { SecretOwner, SecretsAnswer, TeamSecrets } from './session-ports.ts';

const vault = {
  name: 'vault',
  builtIn: true,
  origin: { source: 'svc://vault' },
  config: { token: placeholder('token') },
};
const env = { name: 'env', builtIn: true, origin: { source: 'svc://env' }, config: {} };
/** A type of the pipeline whose get needs another secret. */
const safe = {
  name: 'safe',
  builtIn: false,
  config: { address: `https://${placeholder('token')}@safe` },
  get: { runner: 'shell' as const, cmd: 'show' },
};
const definition = {
  ...samplePipeline(),
  secretTypes: [vault, env, safe],
  secrets: [
    { name: 'password', type: 'vault', path: 'kv/app', key: 'password' },
    { name: 'token', type: 'env', key: 'VAULT' },
    { name: 'other', type: 'env', key: 'OTHER' },
    { name: 'inner', type: 'safe', key: 'INNER' },
  ],
};
const owner = { team: 'main', namespace: 'main', pipelineId: 1, definition };

/** Sources that have these values, and the lookups that they were asked for. */
function sources(values: Record<string, string>): TeamSecrets & { asked: string[][] } {
  const asked: string[][] = [];
  return {
    asked,
    async read(_owner: SecretOwner, lookups: readonly SecretLookup[]): Promise<SecretsAnswer> {
      asked.push(lookups.map(({ name, config }) => `${name} ${config['token'] ?? ''}`.trim()));
      const names = lookups.map(({ name }) => name);
      const found = names.flatMap((name): [string, string][] => {
        const value = values[name];
        return value === undefined ? [] : [[name, value]];
      });
      const gone = names.filter((name) => !(name in values));
      return {
        answer: 'read',
        values: new Map(found),
        missing: new Map(gone.map((name) => [name, `The secret ${name} has no value: it is gone.`])),
      };
    },
  };
}

async function read(names: string[], from: TeamSecrets, given: GivenSecrets = new Map()) {
  const answer = await lookUpSecrets(names, { ...owner, given }, from);
  if (answer.answer !== 'read') throw new Error(answer.answer);
  return { values: Object.fromEntries(answer.values), missing: Object.fromEntries(answer.missing ?? []) };
}

describe('secrets are read', () => {
  test('after those that they need, which stay out of the answer', async () => {
    const from = sources({ password: 'hunter2', token: 'root' });
    expect(await read(['password'], from)).toEqual({ values: { password: 'hunter2' }, missing: {} });
    expect(from.asked).toEqual([['token'], ['password root']]);
  });

  test('as far as they have values; the others have a reason', async () => {
    expect(await read(['token', 'other'], sources({ token: 'root' }))).toEqual({
      values: { token: 'root' },
      missing: { other: 'The secret other has no value: it is gone.' },
    });
  });

  test('with the reason why one that is needed has no value', async () => {
    const from = sources({ password: 'hunter2' });
    expect(await read(['password'], from)).toEqual({
      values: {},
      missing: {
        password:
          'The secret password has no value: a secret that it needs has none. ' +
          'The secret token has no value: it is gone.',
      },
    });
    expect(from.asked).toEqual([['token']]);
  });

  test('not at all if the pipeline does not declare them', async () => {
    const { missing } = await read(['unknown'], sources({}));
    expect(missing).toHaveProperty('unknown');
  });
});

const ask = async (given: GivenSecrets) =>
  await lookUpSecrets(['inner', 'other'], { ...owner, given }, sources({ token: 'root', other: 'x' }));

describe('a secret of a type of the pipeline', () => {
  test('is for the agent to get, once what its get needs was read', async () => {
    expect(await ask(new Map())).toMatchObject({
      answer: 'run',
      lookups: [{ name: 'inner', source: 'safe', key: 'INNER', config: { address: 'https://root@safe' } }],
      known: expect.arrayContaining(['root']),
    });
  });

  test('has the value that the agent got', async () => {
    expect(await ask(new Map([['inner', { value: 'hunter2' }]]))).toMatchObject({
      answer: 'read',
      values: new Map([
        ['inner', 'hunter2'],
        ['other', 'x'],
      ]),
    });
  });

  test('has no value if its get failed, with the reason', async () => {
    expect(await ask(new Map([['inner', { fault: 'its get failed: exit code 3' }]]))).toMatchObject({
      missing: new Map([['inner', 'The safe secret inner has no value: its get failed: exit code 3.']]),
    });
  });

  test('is no place for values of other types', async () => {
    const given = new Map([['other', { value: 'forged' }]]);
    expect((await read(['other'], sources({ other: 'x' }), given)).values).toEqual({ other: 'x' });
  });
});

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

/**
 * A source that has these values. `lookedUp` lists the secrets of each read, with the token that they need.
 */
function source(values: Record<string, string>): TeamSecrets & { lookedUp: string[][] } {
  const lookedUp: string[][] = [];
  return {
    lookedUp,
    async read(_owner: SecretOwner, lookups: readonly SecretLookup[]): Promise<SecretsAnswer> {
      lookedUp.push(lookups.map(({ name, config }) => `${name} ${config['token'] ?? ''}`.trim()));
      const names = lookups.map(({ name }) => name);
      const entries = names.flatMap((name): [string, string][] => {
        const value = values[name];
        return value === undefined ? [] : [[name, value]];
      });
      const absent = names.filter((name) => !(name in values));
      return {
        answer: 'read',
        values: new Map(entries),
        missing: new Map(absent.map((name) => [name, `The secret ${name} has no value: it is gone.`])),
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
    const from = source({ password: 'hunter2', token: 'root' });
    expect(await read(['password'], from)).toEqual({ values: { password: 'hunter2' }, missing: {} });
    expect(from.lookedUp).toEqual([['token'], ['password root']]);
  });

  test('as far as they have values; the others have a reason', async () => {
    expect(await read(['token', 'other'], source({ token: 'root' }))).toEqual({
      values: { token: 'root' },
      missing: { other: 'The secret other has no value: it is gone.' },
    });
  });

  test('unless a secret that they need has no value; they then have that reason', async () => {
    const from = source({ password: 'hunter2' });
    expect(await read(['password'], from)).toEqual({
      values: {},
      missing: {
        password:
          'The secret password has no value: a secret that it needs has none. ' +
          'The secret token has no value: it is gone.',
      },
    });
    expect(from.lookedUp).toEqual([['token']]);
  });

  test('not at all if the pipeline does not declare them', async () => {
    const { missing } = await read(['unknown'], source({}));
    expect(missing).toHaveProperty('unknown');
  });
});

const lookUpInner = async (given: GivenSecrets) =>
  await lookUpSecrets(['inner', 'other'], { ...owner, given }, source({ token: 'root', other: 'x' }));

describe('a secret of a type of the pipeline', () => {
  test('is left to the agent once the secrets that its get needs are read', async () => {
    expect(await lookUpInner(new Map())).toMatchObject({
      answer: 'run',
      lookups: [{ name: 'inner', source: 'safe', key: 'INNER', config: { address: 'https://root@safe' } }],
      known: expect.arrayContaining(['root']),
    });
  });

  test('has the value that the agent got', async () => {
    expect(await lookUpInner(new Map([['inner', { value: 'hunter2' }]]))).toMatchObject({
      answer: 'read',
      values: new Map([
        ['inner', 'hunter2'],
        ['other', 'x'],
      ]),
    });
  });

  test('has no value if its get failed, with the reason', async () => {
    expect(await lookUpInner(new Map([['inner', { fault: 'its get failed: exit code 3' }]]))).toMatchObject({
      missing: new Map([['inner', 'The safe secret inner has no value: its get failed: exit code 3.']]),
    });
  });

  test('does not let the agent give a value to a secret of a built-in type', async () => {
    const given = new Map([['other', { value: 'forged' }]]);
    expect((await read(['other'], source({ other: 'x' }), given)).values).toEqual({ other: 'x' });
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import { nextLookups, type SecretLookup } from '#domain/planning/next-lookups.ts';
import type { SecretsAnswer } from '#flows/builds/session-ports.ts';
import { kubernetesSource, teamSecretSource } from './kubernetes-secrets.ts';
import { teamSecrets, type SecretLookupResult } from './team-secrets.ts';

type Client = Parameters<typeof kubernetesSource>[0];

const USABLE = { labels: { 'millrace.dev/usable': 'true' } };
/** Secrets and Teams, by namespace and name. */
const SECRETS: Record<string, object> = {
  'main/git': { metadata: USABLE, data: { token: Buffer.from('hunter2').toString('base64'), empty: '' } },
  'main/private': { metadata: { labels: {} }, data: { token: 'eA==' } },
  'main/team': {
    data: {
      TOKEN: Buffer.from('hunter3').toString('base64'),
      'app.json': Buffer.from('{"password": "hunter4"}').toString('base64'),
      lines: Buffer.from('A=hunter5\n').toString('base64'),
    },
  },
  // A Team has no namespace, so its key begins with `undefined`.
  'undefined/main': { spec: { secretRef: { name: 'team' } } },
  'undefined/other': { spec: {} },
};

const owner = { team: 'main', namespace: 'main', pipelineId: 1 };

async function read(names: string[], from: Client = clientWithSecrets()): Promise<SecretsAnswer> {
  const sources = { kubernetes: kubernetesSource(from) };
  return await teamSecrets(sources).read(
    owner,
    nextLookups(names, {}, { values: new Map(), missing: new Map() }),
  );
}

/** An API server with the objects of `SECRETS`. It adds the name of each object that is read to `reads`. */
function clientWithSecrets(reads: string[] = []): Client {
  return {
    async get(_kind, { namespace, name }) {
      reads.push(`${namespace}/${name}`);
      const object = SECRETS[`${namespace}/${name}`];
      return object === undefined
        ? { ok: false, status: 404, reason: 'NotFound', message: 'no' }
        : { ok: true, value: JSON.parse(JSON.stringify(object)) };
    },
  };
}

describe("the values of a team's Secrets", () => {
  test('are read once for each Secret', async () => {
    const reads: string[] = [];
    expect(await read(['git/token', 'git/empty'], clientWithSecrets(reads))).toEqual({
      answer: 'read',
      plain: new Set(),
      missing: new Map(),
      values: new Map([
        ['git/token', 'hunter2'],
        ['git/empty', ''],
      ]),
    });
    expect(reads).toEqual(['main/git']);
  });

  const absent: Record<string, string> = {
    'absent/token': 'there is no such Secret in the namespace of the team',
    'git/other': 'the Secret has no such key',
    'git/toString': 'the Secret has no such key',
    'private/token': 'it lacks the label millrace.dev/usable=true',
    '../other/secrets/git/token': 'there is no such Secret in the namespace of the team',
    token: 'the pipeline declares no such secret',
  };
  test.each(Object.entries(absent))('do not include the value of %s, because %s', async (name, fault) => {
    expect(await read([name, 'git/token'])).toEqual({
      answer: 'read',
      values: new Map([['git/token', 'hunter2']]),
      plain: new Set(),
      missing: new Map([
        [name, `The ${name === 'token' ? '' : 'kubernetes '}secret ${name} has no value: ${fault}.`],
      ]),
    });
  });

  test('are read from at most four Secrets at the same time', async () => {
    let atOnce = 0;
    let mostAtOnce = 0;
    const slow: Client = {
      async get(_kind, { name }) {
        atOnce += 1;
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        await sleep(1);
        atOnce -= 1;
        return {
          ok: true,
          value: JSON.parse(JSON.stringify({ metadata: USABLE, data: { [name]: 'eA==' } })),
        };
      },
    };
    const names = Array.from({ length: 50 }, (_, index) => `s${index}/s${index}`);
    expect(await read(names, slow)).toMatchObject({ values: new Map(names.map((name) => [name, 'x'])) });
    expect(mostAtOnce).toBe(4);
  });

  test('are unavailable, not absent, while the API server does not answer', async () => {
    const unreachable: Client = {
      get: async () => ({ ok: false, status: 0, reason: 'Unreachable', message: 'no route' }),
    };
    expect(await read(['git/token'], unreachable)).toEqual({
      answer: 'unavailable',
      reason:
        'The kubernetes secret git/token has no value: reading Secret main/git: no route (Unreachable).',
    });
  });
});

async function lookUp(lookup: Partial<SecretLookup>, team = 'main'): Promise<SecretLookupResult[]> {
  const wholeLookup = { name: 'x', source: 'file', path: '', key: 'content', config: {}, ...lookup };
  return await teamSecretSource(clientWithSecrets())({ ...owner, team }, [wholeLookup]);
}

describe('the Secret that the Team names', () => {
  test.each<[title: string, lookup: Partial<SecretLookup>, value: string]>([
    ['gives the value of a key', { source: 'env', key: 'TOKEN' }, 'hunter3'],
    ['gives a line of a file', { source: 'env', path: 'lines', key: 'A' }, 'hunter5'],
    ['gives a member of a JSON file', { path: 'app.json', key: 'password' }, 'hunter4'],
    ['gives a whole value', { path: 'TOKEN' }, 'hunter3'],
  ])('%s', async (_title, lookup, value) => {
    expect(await lookUp(lookup)).toEqual([{ value }]);
  });

  const noFile = 'the Secret of the Team has no key with the name in path';
  test.each<[title: string, lookup: Partial<SecretLookup>, fault: string]>([
    ['a key that does not exist', { source: 'env', key: 'OTHER' }, 'the Secret of the Team has no such key'],
    ['a file that does not exist', { path: 'other' }, noFile],
    ['a path outside the Secret', { path: '../git/token' }, noFile],
    ['a member that the file does not have', { path: 'app.json', key: 'user' }, 'the file has no such key'],
    ['a file of another format', { path: 'lines', config: { format: 'json' } }, 'it is not valid JSON'],
  ])('has no value for %s', async (_title, lookup, fault) => {
    expect(await lookUp(lookup)).toEqual([{ fault }]);
  });

  test('is parsed once for all its values', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const lookup = { name: 'x', source: 'file', path: 'app.json', key: 'password', config: {} };
    const results = await teamSecretSource(clientWithSecrets())(
      owner,
      Array.from({ length: 300 }, () => lookup),
    );
    const parseCount = parse.mock.calls.filter(([text]) => text.includes('hunter4')).length;
    parse.mockRestore();
    expect(results).toEqual(Array.from({ length: 300 }, () => ({ value: 'hunter4' })));
    expect(parseCount).toBe(1);
  });

  test('is not read if the Team names none', async () => {
    expect(await lookUp({ source: 'env' }, 'other')).toEqual([
      { fault: 'the Team other has no spec.secretRef' },
    ]);
  });
});

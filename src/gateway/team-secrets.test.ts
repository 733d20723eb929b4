import { describe, expect, test } from '@jest/globals';
import { teamSecrets } from './team-secrets.ts';

type Client = Parameters<typeof teamSecrets>[0];

const USABLE = { labels: { 'millrace.dev/usable': 'true' } };
const SECRETS: Record<string, object> = {
  'main/git': { metadata: USABLE, data: { token: Buffer.from('hunter2').toString('base64'), empty: '' } },
  'main/private': { metadata: { labels: {} }, data: { token: 'eA==' } },
};

function client(asked: string[] = []): Client {
  return {
    async get(_kind, { namespace, name }) {
      asked.push(`${namespace}/${name}`);
      const found = SECRETS[`${namespace}/${name}`];
      return found === undefined
        ? { ok: false, status: 404, reason: 'NotFound', message: 'no' }
        : { ok: true, value: JSON.parse(JSON.stringify(found)) };
    },
  };
}

describe('values of Secrets', () => {
  test('are read once for each Secret', async () => {
    const asked: string[] = [];
    const read = await teamSecrets(client(asked)).read('main', ['git/token', 'git/empty']);
    expect(read).toEqual({
      answer: 'read',
      values: new Map([
        ['git/token', 'hunter2'],
        ['git/empty', ''],
      ]),
    });
    expect(asked).toEqual(['main/git']);
  });

  const absent: Record<string, string> = {
    'absent/token': 'there is no such Secret in the namespace of the team',
    'git/other': 'the Secret has no such key',
    'git/toString': 'the Secret has no such key',
    'private/token': 'it lacks the label millrace.dev/usable=true',
    '../other/secrets/git/token': 'there is no such Secret in the namespace of the team',
    token: 'there is no such Secret in the namespace of the team',
  };
  test.each(Object.entries(absent))('%s: %s', async (name, fault) => {
    const read = await teamSecrets(client()).read('main', [name, 'git/token']);
    expect(read).toEqual({ answer: 'missing', reasons: [`The secret ${name} has no value: ${fault}.`] });
  });

  test('an API server that does not answer is no absence', async () => {
    const away: Client = {
      get: async () => ({ ok: false, status: 0, reason: 'Unreachable', message: 'away' }),
    };
    expect(await teamSecrets(away).read('main', ['git/token'])).toEqual({
      answer: 'unavailable',
      reason: 'reading Secret main/git: away (Unreachable)',
    });
  });
});

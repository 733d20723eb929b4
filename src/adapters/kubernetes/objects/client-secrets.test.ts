import { beforeEach, expect, test } from '@jest/globals';
import type { ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import { clientSecrets } from './client-secrets.ts';

const AWAY: ApiProblem = { ok: false, status: 503, reason: 'ServiceUnavailable', message: 'later' };
let data: Record<string, string | null>;
/** How many of the next writes fail. */
let failures: number;

beforeEach(() => {
  [data, failures] = [{ github_1000_a: 'x', github_3000_b: 'x', gitlab_1000_c: 'x' }, 0];
});

const secrets = clientSecrets({
  client: {
    get: async () => ({ ok: true, value: JSON.parse(JSON.stringify({ data })) }),
    patchMerge: async (_kind, _ref, patch) => {
      failures -= 1;
      if (failures >= 0) return AWAY;
      const { data: changed }: { data: Record<string, null> } = JSON.parse(JSON.stringify(patch));
      data = Object.fromEntries(
        Object.entries({ ...data, ...changed }).filter(([, value]) => value !== null),
      );
      return { ok: true, value: JSON.parse(JSON.stringify({ data })) };
    },
  },
  namespace: 'ci',
  name: 'clients',
});

test('older secrets of one provider are deleted, also if the API server refuses the first write', async () => {
  failures = 1;
  expect(await secrets.deleteSecretsBefore('github', new Date(2000))).toMatchObject({ answer: 'done' });
  expect(Object.keys(data)).toEqual(['github_3000_b', 'gitlab_1000_c']);
});

test('a secret that cannot be deleted is reported', async () => {
  failures = 10;
  expect(await secrets.deleteSecret('github_1000_a')).toMatchObject({ answer: 'unreachable' });
  expect(await secrets.deleteSecretsBefore('github', new Date(2000))).toMatchObject({
    answer: 'unreachable',
  });
});

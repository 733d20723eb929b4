import { expect, test } from '@jest/globals';
import type { ApiAnswer, ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { CacheClaim } from '#flows/pods/cache-ports.ts';
import { cacheVolume, prepareClaim } from './cache-claims.ts';

const owner = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', name: 'demo', uid: 'uid-1' };
const claim: CacheClaim = {
  cache: 3,
  generation: 2,
  resource: 'git.app',
  team: 'blue',
  namespace: 'team-blue',
  pipeline: 'demo',
  settings: { size: '1Gi', accessModes: ['ReadWriteOnce'], storageClassName: 'fast' },
};
const problem = (status: number, reason: string, message: string): ApiProblem => ({
  ok: false,
  status,
  reason,
  message,
});
const absent = problem(404, 'NotFound', 'not found');

/**
 * `found`: the metadata of the existing claim, or why there is none. `refused`: the answer to its creation.
 * `foundThen`: what a second read finds.
 */
async function prepare(found: ApiProblem | object, refused?: ApiProblem, foundThen = found) {
  const sent: unknown[] = [];
  const finds = [found, foundThen];
  const client = {
    get: <T>(): Promise<ApiAnswer<T>> => {
      const metadata = finds.shift() ?? absent;
      const value: T = JSON.parse(JSON.stringify({ metadata }));
      return Promise.resolve(isProblem(metadata) ? metadata : { ok: true, value });
    },
    create: <T>(_kind: unknown, value: T): Promise<ApiAnswer<T>> => {
      sent.push(value);
      return Promise.resolve(refused ?? { ok: true, value });
    },
  };
  const answer = await prepareClaim(claim, { client, cache: { pipelineOwner: () => owner } });
  return { answer, sent };
}
const isProblem = (found: ApiProblem | object): found is ApiProblem => 'ok' in found;
test('a missing claim is created in the namespace of the team, owned by the Pipeline', async () => {
  const { answer, sent } = await prepare(absent);
  expect(answer).toEqual({ answer: 'ready' });
  expect(sent).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^cache-git-app-3-2-/), namespace: 'team-blue' },
      spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
    },
  ]);
});

test('an existing claim of the same Pipeline is used unchanged', async () => {
  const { answer, sent } = await prepare({ ownerReferences: [{ uid: 'uid-1' }] });
  expect(answer).toEqual({ answer: 'ready' });
  expect(sent).toEqual([]);
});

test.each([
  ['that is being deleted', { deletionTimestamp: 'now', ownerReferences: [{ uid: 'uid-1' }] }],
  ['that Millrace did not create', {}],
])('a claim %s is not used', async (_name, found) => {
  expect((await prepare(found)).answer).toMatchObject({ answer: 'refused' });
});

test.each([
  ['and belongs to the Pipeline is used', { ownerReferences: [{ uid: 'uid-1' }] }, 'ready'],
  ['and that Millrace did not create is not used', {}, 'refused'],
  ['and is gone again is not used', absent, 'refused'],
])('a claim that appears after the first read %s', async (_name, foundThen, expected) => {
  const { answer } = await prepare(absent, problem(409, 'AlreadyExists', 'it exists'), foundThen);
  expect(answer).toMatchObject({ answer: expected });
});

test('a refusal of the API server is a reason, and an outage is an error', async () => {
  const refused = problem(403, 'Forbidden', 'exceeded quota: storage');
  expect((await prepare(absent, refused)).answer).toEqual({
    answer: 'refused',
    message: 'its volume was refused: exceeded quota: storage',
  });
  await expect(prepare(absent, problem(500, 'InternalError', 'no'))).rejects.toThrow('creating the');
  const conflict = problem(409, 'Conflict', 'Operation cannot be fulfilled on resourcequotas "all"');
  await expect(prepare(absent, conflict)).rejects.toThrow('creating the');
});

test('a Pod mounts the claim of the current generation of its cache', () => {
  const cache = { cache: 3, resource: 'git.app', folder: '/cache', containers: ['worker'] };
  const names = [1, 2].map((generation) => cacheVolume({ ...cache, generation }, owner).claim);
  expect(new Set(names).size).toBe(2);
});

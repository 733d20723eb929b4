import { expect, test } from '@jest/globals';
import { InMemoryCaches } from '#testing/flows/in-memory-caches.ts';
import { InMemoryCluster } from '#testing/kubernetes/in-memory-cluster.ts';
import { takeCaches } from './take-caches.ts';

const user = { pipelineId: 1, build: 7, attempt: 1 };
const toTake = {
  user,
  owner: { team: 'blue', namespace: 'team-blue', pipeline: 'demo' },
  needs: [{ resource: 'git.app', containers: ['worker'], byDefault: true }],
};
const settings = { size: '1Gi', accessModes: ['ReadWriteOnce'] };

function portsWith({ allowed = true } = {}) {
  const cluster = new InMemoryCluster();
  if (allowed) cluster.caches = settings;
  return { cluster, caches: new InMemoryCaches(), now: () => new Date(0) };
}

test('a free cache is claimed and mounted', async () => {
  const ports = portsWith();
  expect(await takeCaches(toTake, ports)).toEqual([
    {
      cache: 1,
      generation: 1,
      resource: 'git.app',
      folder: '/home/millrace/.cache/millrace/cache/blue/demo/git.app',
      containers: ['worker'],
    },
  ]);
  expect(ports.cluster.claims).toEqual([
    { cache: 1, generation: 1, resource: 'git.app', ...toTake.owner, settings },
  ]);
});

test('without spec.cache in the Team, a default cache is not mounted and nothing is recorded', async () => {
  const ports = portsWith({ allowed: false });
  expect(await takeCaches(toTake, ports)).toEqual([]);
  expect(ports.caches.uses.size).toBe(0);
});

test('without spec.cache in the Team, a cache that the pipeline asks for is left out with the reason', async () => {
  const ports = portsWith({ allowed: false });
  const byPipeline = { ...toTake, needs: toTake.needs.map((need) => ({ ...need, byDefault: false })) };
  expect(await takeCaches(byPipeline, ports)).toEqual([]);
  expect(ports.caches.of(user)).toMatchObject([
    { leftOut: { reason: 'NotAllowed', message: 'Team blue has no spec.cache.' } },
  ]);
});

test('a busy cache is left out at once, and nothing is claimed', async () => {
  const ports = portsWith();
  ports.caches.states = { usedBy: 'check' };
  expect(await takeCaches(toTake, ports)).toEqual([]);
  expect(ports.caches.of(user)).toMatchObject([{ leftOut: { reason: 'Busy' } }]);
  expect(ports.cluster.claims).toEqual([]);
});

test('the same Pod gets the same caches when it is requested again after a crash', async () => {
  const ports = portsWith();
  const first = await takeCaches(toTake, ports);
  ports.caches.states = { usedBy: 'check' };
  expect(await takeCaches(toTake, ports)).toEqual(first);
});

test('a cache whose volume is refused is left out, with what the API server says', async () => {
  const ports = portsWith();
  ports.cluster.prepareClaim = async () => ({ answer: 'refused', message: 'exceeded quota' });
  expect(await takeCaches(toTake, ports)).toEqual([]);
  expect(ports.caches.of(user)).toMatchObject([
    { leftOut: { reason: 'Refused', message: 'exceeded quota' } },
  ]);
});

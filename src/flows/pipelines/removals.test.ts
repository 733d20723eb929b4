import { describe, expect, test } from '@jest/globals';
import type { PipelineName } from '#flows/names.ts';
import { applyTeam } from '#flows/people/apply-team.ts';
import { removeTeam } from '#flows/people/remove-team.ts';
import type { TeamManifest } from '#flows/people/team-ports.ts';
import { InMemoryTeam } from '#testing/flows/in-memory-team.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { removeOrphans } from './remove-orphans.ts';
import { removePipeline } from './remove-pipeline.ts';

const demo: PipelineName = { team: 'blue', pipeline: 'demo' };
const object = { ...demo, uid: 'uid-1' };
const blue: TeamManifest = { name: 'blue', uid: 'uid-1', namespace: 'team-blue' };

describe('a pipeline that is deleted', () => {
  test.each<[string, number[] | Error, number, object]>([
    ['is removed if nothing runs', [], 0, { outcome: 'removed' }],
    [
      'waits for one build, whose agent is notified',
      [7],
      59_000,
      { outcome: 'waiting', message: 'Waiting for one build to end.' },
    ],
    [
      'waits for all builds, whose agents are notified',
      [7, 8, 11],
      0,
      { outcome: 'waiting', message: 'Waiting for 3 builds to end.' },
    ],
    ['is removed after the deadline even if builds run', [7, 8, 11], 60_000, { outcome: 'removed' }],
    [
      'is removed after the deadline even if the database is unreachable, with a message',
      new Error('away'),
      60_000,
      { outcome: 'abandoned', message: 'The database was not updated: away' },
    ],
  ])('a deleted pipeline %s', async (_, answer, requestedMsAgo, expected) => {
    const notifications = new RecordedNotifications();
    const store = {
      renamedTo: () => Promise.resolve(undefined),
      removePipeline: () =>
        Error.isError(answer) ? Promise.reject(answer) : Promise.resolve({ runningBuilds: answer }),
    };
    expect(await removePipeline(object, requestedMsAgo, { store, notifications })).toEqual(expected);
    expect(notifications.sent).toEqual(Error.isError(answer) ? [] : answer.map((build) => `cancel ${build}`));
  });

  test('the deletion of a pipeline is retried while the database is unreachable and time is left', async () => {
    const store = {
      renamedTo: () => Promise.resolve(undefined),
      removePipeline: () => Promise.reject(new Error('away')),
    };
    await expect(
      removePipeline(object, 59_000, { store, notifications: new RecordedNotifications() }),
    ).rejects.toThrow('away');
  });
});

describe('an object whose pipeline was renamed', () => {
  test.each<[string, number, number, object]>([
    ['is removed if no check runs', 0, 0, { outcome: 'removed' }],
    [
      'waits for the Pods of its checks',
      2,
      59_000,
      { outcome: 'waiting', message: 'Waiting for 2 checks to end.' },
    ],
    ['is removed after the deadline even if checks run', 2, 60_000, { outcome: 'removed' }],
  ])(
    'an object whose pipeline was renamed %s, and nothing of the pipeline is stopped',
    async (_, runningChecks, requestedMsAgo, expected) => {
      const notifications = new RecordedNotifications();
      const store = {
        renamedTo: () => Promise.resolve({ pipeline: 'other', runningChecks }),
        removePipeline: () => Promise.reject(new Error('Its builds continue.')),
      };
      expect(await removePipeline(object, requestedMsAgo, { store, notifications })).toEqual(expected);
      expect(notifications.sent).toEqual([]);
    },
  );
});

test('only pipelines whose object is gone are stopped', async () => {
  const removed: PipelineName[] = [];
  const notifications = new RecordedNotifications();
  const store = {
    livePipelines: () =>
      Promise.resolve([
        { ...demo, namespace: 'team-blue', uid: 'uid-1' },
        { team: 'blue', pipeline: 'gone', namespace: 'team-blue', uid: 'uid-2' },
      ]),
    removePipeline: (name: PipelineName) => {
      removed.push(name);
      return Promise.resolve({ runningBuilds: [7, 8] });
    },
  };
  expect(
    await removeOrphans({ store, notifications, exists: (_, pipeline) => pipeline === 'demo' }),
  ).toMatchObject([{ pipeline: 'gone' }]);
  expect(removed).toMatchObject([{ pipeline: 'gone' }]);
  expect(notifications.sent).toEqual(['cancel 7', 'cancel 8']);
});

test('a pipeline is not stopped if its object is created again while another pipeline is being stopped', async () => {
  const objects = new Set<string>();
  const live = ['first', 'second'].map((pipeline) => ({
    team: 'blue',
    pipeline,
    namespace: 'team-blue',
    uid: `uid of ${pipeline}`,
  }));
  const removed: object[] = [];
  const store = {
    livePipelines: () => Promise.resolve(live),
    removePipeline: (name: PipelineName) => {
      removed.push(name);
      objects.add('second');
      return Promise.resolve({ runningBuilds: [] });
    },
  };
  const exists = (_: string, pipeline: string): boolean => objects.has(pipeline);
  const notifications = new RecordedNotifications();
  expect(await removeOrphans({ store, notifications, exists })).toMatchObject([{ pipeline: 'first' }]);
  // The uid makes the store stop only the pipeline of the deleted object, not one that has taken its name.
  expect(removed).toEqual([{ team: 'blue', pipeline: 'first', uid: 'uid of first' }]);
});

const pipelinesOf = (): Promise<number> => Promise.resolve(4);

describe('a team', () => {
  test.each<[name: string, objects: number, hasPipelines: boolean, expected: object]>([
    ['is removed if nothing is left', 0, false, { outcome: 'removed' }],
    [
      'waits for Pipeline objects',
      2,
      false,
      {
        outcome: 'waiting',
        message: '2 Pipelines are left in namespace team-blue. The team is deleted once none is left.',
      },
    ],
    [
      'waits for pipelines in the database',
      0,
      true,
      { outcome: 'waiting', message: 'The deletion of its last Pipelines is not finished yet.' },
    ],
  ])('a deleted team %s', async (_, objects, hasPipelines, expected) => {
    const store = new InMemoryTeam({ pipelines: hasPipelines });
    const cluster = { pipelinesOf: () => Promise.resolve(objects) };
    expect(await removeTeam(blue, { store, cluster, now: () => new Date() })).toEqual(expected);
  });

  test('a team is saved only when its namespace is ready', async () => {
    const saved = { members: [], groups: [], groupProviders: [] };
    const clock = { now: () => new Date() };
    const store = new InMemoryTeam({ stored: saved });
    const refusal = { answer: 'refused', reason: 'NamespaceNotOurs', message: 'not ours' } as const;
    const refusing = { pipelinesOf, prepareNamespace: () => Promise.resolve(refusal) };
    expect(await applyTeam(blue, { ...clock, store, cluster: refusing })).toEqual({
      outcome: 'refused',
      ...refusal,
    });
    expect(store.saved).toEqual([]);
    const ready = { pipelinesOf, prepareNamespace: () => Promise.resolve({ answer: 'ready' } as const) };
    expect(await applyTeam(blue, { ...clock, store, cluster: ready })).toEqual({
      outcome: 'applied',
      pipelines: 4,
      saved,
    });
    expect(store.saved).toEqual(['blue']);
  });
});

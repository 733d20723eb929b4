import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { APP, killedAt, Renames, TEAM } from '#testing/stores/renames-under-test.ts';
import { giveTurns, openStores, succeed, type TestStores } from '#testing/stores/stores.ts';

let stores: TestStores;
let renames: Renames;
let before: readonly object[];

beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());
beforeEach(begin);

async function begin(): Promise<void> {
  renames = await Renames.begin(stores);
  before = await renames.history();
}

/** The call at which the gateway is killed: it has created the new object, and has not answered. */
const AFTER_THE_OBJECT = 7;
const PAGE = { limit: 50 };
const RENAMED = { answer: 'done', verdict: { ready: true } };

async function expectRenamed(to = 'renamed', from = 'app'): Promise<void> {
  expect(await renames.names()).toEqual([to]);
  expect(renames.objects()).toEqual([to]);
  expect([...renames.world.scheduled]).toEqual([to]);
  expect(renames.world.manifests(TEAM)[0]?.renamedFrom).toBeUndefined();
  expect(await renames.history()).toEqual(before);
  const lines = await renames.audit();
  expect(lines.at(-1)).toEqual({ actor: 'ann', target: to, details: { renamed_from: from } });
}

describe('a rename', () => {
  test('a rename keeps the whole history, and leaves nothing under the old name', async () => {
    expect(await renames.rename('renamed')).toMatchObject(RENAMED);
    await expectRenamed();
    expect(await renames.rename('renamed')).toEqual({ answer: 'unknown' });
  });

  test('a check that starts during a rename keeps the name of its Pod, and later ones have the new name', async () => {
    const scopes = (await stores.checks.dueChecks(new Date(), 10)).map(({ scope }) => scope);
    const open = async () => (await stores.checks.openRun(scopes, 'manual', new Date()))?.run ?? 0;
    const run = await open();
    await renames.rename('renamed');
    // The gateway accepts an agent only if its Pod has the name that follows from these facts.
    expect(await stores.checks.runFacts(run)).toMatchObject({ pipeline: 'app' });
    await stores.checks.closeRun(run, new Date());
    await stores.checks.requestCheck(
      { team: TEAM, pipeline: 'renamed', resource: 'git.app' },
      'manual',
      new Date(),
    );
    expect(await stores.checks.runFacts(await open())).toMatchObject({ pipeline: 'renamed' });
  });

  test('a rename is complete or not begun wherever the gateway is killed, and a retry completes it', async () => {
    for (let nth = 0; ; nth += 1) {
      const [from, to] = [nth === 0 ? 'app' : `app-${nth}`, `app-${nth + 1}`];
      const killed = await killedAt(
        nth,
        async (testProcess) => await renames.rename(to, { from, testProcess }),
      );
      await renames.operate();
      if (!renames.objects().includes(to)) {
        expect([await renames.names(), renames.objects()]).toEqual([[from], [from]]);
        expect(await renames.history()).toEqual(before);
        expect(await renames.rename(to, { from })).toMatchObject(RENAMED);
      }
      await expectRenamed(to, from);
      expect(await renames.audit()).toHaveLength(nth + 1);
      if (!killed) return expect(nth).toBeGreaterThan(AFTER_THE_OBJECT);
    }
  }, 300_000);

  test('a rename is complete wherever the operator is killed', async () => {
    for (let nth = 0; ; nth += 1) {
      const [from, to] = [nth === 0 ? 'app' : `app-${nth}`, `app-${nth + 1}`];
      let killed: boolean | undefined;
      // Only the first operator is killed.
      const operator = async (): Promise<void> => {
        if (killed === undefined)
          killed = await killedAt(nth, async (testProcess) => await renames.operate(testProcess));
        else await renames.operate();
      };
      expect(await renames.rename(to, { from, operator })).toMatchObject(RENAMED);
      await renames.operate();
      await expectRenamed(to, from);
      expect(await renames.audit()).toHaveLength(nth + 1);
      if (!killed) return expect(nth).toBeGreaterThan(20);
    }
  }, 300_000);

  test('a rename continues when somebody who got no answer requests it again', async () => {
    await killedAt(AFTER_THE_OBJECT, async (testProcess) => await renames.rename('renamed', { testProcess }));
    expect(renames.objects()).toEqual(['app', 'renamed']);
    expect(await renames.rename('renamed')).toMatchObject(RENAMED);
    await expectRenamed();
  });

  test('a repeated rename uses the spec that was changed in between', async () => {
    await killedAt(AFTER_THE_OBJECT, async (testProcess) => await renames.rename('renamed', { testProcess }));
    const app = await renames.world.objects.read({ namespace: TEAM, name: 'app' });
    if (app.answer !== 'done') throw new Error(app.answer);
    await renames.world.objects.replace(app.value, { config: 'changed' }, 'bob');
    await renames.operate();
    expect(await renames.names()).toEqual(['app']);
    expect(await renames.rename('renamed')).toMatchObject(RENAMED);
    expect(
      await stores.pool.oneFirst(rows<{ config: string }>()`
      SELECT r.config FROM revisions r JOIN pipelines p ON p.id = r.pipeline_id AND p.revision = r.number
      WHERE p.name = 'renamed'`),
    ).toBe('changed');
  });

  test('a rename that is undone by deleting the new object changes nothing', async () => {
    await killedAt(AFTER_THE_OBJECT, async (testProcess) => await renames.rename('renamed', { testProcess }));
    const [, newObject] = renames.world.manifests(TEAM);
    if (newObject === undefined) throw new Error('no new object');
    await renames.world.cluster.removeObject(newObject);
    await renames.operate();
    expect([renames.objects(), await renames.names(), await renames.audit()]).toEqual([['app'], ['app'], []]);
    expect(await renames.history()).toEqual(before);
  });

  test('an unfinished rename does not restore a pipeline that was deleted meanwhile', async () => {
    await killedAt(AFTER_THE_OBJECT, async (testProcess) => await renames.rename('renamed', { testProcess }));
    const [old] = renames.world.manifests(TEAM);
    if (old === undefined) throw new Error('no object');
    await renames.world.cluster.removeObject(old);
    await renames.operate();
    const newObject = await renames.world.objects.read({ namespace: TEAM, name: 'renamed' });
    expect(newObject).toMatchObject({ value: { verdict: { ready: false, reason: 'RenameRefused' } } });
    expect([renames.objects(), await renames.names(), await renames.audit()]).toEqual([
      ['renamed'],
      ['app'],
      [],
    ]);
    expect(await stores.views.pipeline(APP)).toBeUndefined();
  });

  test('a pipeline can be renamed several times, and back to its first name', async () => {
    expect(await renames.rename('b')).toMatchObject(RENAMED);
    expect(await renames.rename('c', { from: 'b' })).toMatchObject(RENAMED);
    expect(await renames.rename('app', { from: 'c' })).toMatchObject(RENAMED);
    expect([renames.objects(), await renames.names()]).toEqual([['app'], ['app']]);
    expect(await renames.history()).toEqual(before);
    expect(await renames.audit()).toMatchObject([{ target: 'b' }, { target: 'c' }, { target: 'app' }]);
  });
});

/** Finds a version that triggers a build. */
async function triggerBuild(): Promise<void> {
  await stores.actions.unpin({ ...APP, resource: 'git.app' });
  await renames.find('c');
}

describe('builds', () => {
  test('a rename is refused while a build that had its turn runs', async () => {
    await triggerBuild();
    expect(await renames.rename('renamed')).toMatchObject({
      answer: 'refused',
      message: expect.stringContaining('one of its builds runs'),
    });
    expect([renames.objects(), await renames.names()]).toEqual([['app'], ['app']]);
  });

  test('a rename waits for a build that gets its turn after the request', async () => {
    await killedAt(AFTER_THE_OBJECT, async (testProcess) => await renames.rename('renamed', { testProcess }));
    await triggerBuild();
    await renames.operate();
    const newObject = await renames.world.objects.read({ namespace: TEAM, name: 'renamed' });
    expect(newObject).toMatchObject({ value: { verdict: { ready: false, reason: 'Renaming' } } });
    expect(await renames.names()).toEqual(['app']);
    await succeed(stores, 'unit');
    await renames.operate();
    expect([renames.objects(), await renames.names()]).toEqual([['renamed'], ['renamed']]);
  });

  test('queued builds run under the new name', async () => {
    await triggerBuild();
    // As if the team were at its limit: the build has not had its turn.
    await stores.pool.query(rows()`
      UPDATE builds SET admitted_at = NULL, wants_pod = false WHERE ended_at IS NULL`);
    before = await renames.history();
    expect(await renames.rename('renamed')).toMatchObject(RENAMED);
    await expectRenamed();
    await giveTurns(stores);
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ pipeline: 'renamed', job: 'unit' }]);
  });
});

describe('the old name', () => {
  test('the old name is free, and its next pipeline sees nothing of the first', async () => {
    await renames.rename('renamed');
    renames.world.add({ namespace: TEAM, name: 'app', spec: { config: 'another' } });
    await renames.operate();
    expect(await renames.names()).toEqual(['renamed', 'app']);
    expect(await stores.views.pipeline(APP)).toMatchObject({ name: 'app', revision: 1 });
    expect((await stores.views.builds({ ...APP, job: 'unit' }, PAGE))?.rows).toEqual([]);
    expect((await stores.views.versions({ ...APP, resource: 'git.app' }, PAGE))?.rows).toEqual([]);
    expect(await renames.rename('app', { from: 'renamed' })).toEqual({ answer: 'exists' });
  });

  test('an outdated operator cannot save the old object under the old name', async () => {
    const [old] = renames.world.manifests(TEAM);
    if (old === undefined) throw new Error('no object');
    await renames.rename('renamed');
    const late = {
      ...old,
      config: 'text',
      digest: 'late',
      definition: { jobs: [], resources: [], resourceTypes: [] },
    };
    await expect(stores.pipelines.savePipeline({ ...late, actor: 'api' })).rejects.toThrow('was renamed');
    await stores.pipelines.removePipeline(APP);
    await expectRenamed();
  });

  test('an operator that waited for the lock to remove the old name reads the name again', async () => {
    const isLocked = Promise.withResolvers<void>();
    const mayRename = Promise.withResolvers<void>();
    const renaming = stores.pool.transaction(async (connection) => {
      await connection.query(rows()`SELECT pg_advisory_xact_lock(1, id::int) FROM pipelines`);
      isLocked.resolve();
      await mayRename.promise;
      await connection.query(rows()`UPDATE pipelines SET name = 'renamed'`);
    });
    await isLocked.promise;
    const removing = stores.pipelines.removePipeline(APP);
    let isWaiting = false;
    while (!isWaiting)
      isWaiting = await stores.pool.exists(rows()`
      SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
    mayRename.resolve();
    await renaming;
    expect(await removing).toEqual({ runningBuilds: [] });
    expect(await stores.views.pipeline({ team: TEAM, pipeline: 'renamed' })).toBeDefined();
  });

  test.each([
    ['a pipeline that exists', false, { answer: 'exists' }],
    [
      'a deleted pipeline with a history',
      true,
      { answer: 'refused', message: expect.stringContaining('has its history') },
    ],
  ])('a rename to the name of %s is refused', async (_, deleted, expected) => {
    const other = renames.world.add({ namespace: TEAM, name: 'renamed', spec: { config: 'other' } });
    await renames.operate();
    if (deleted) {
      await renames.world.cluster.removeObject({
        team: TEAM,
        pipeline: 'renamed',
        namespace: TEAM,
        uid: other.uid,
      });
      await renames.operate();
    }
    expect(await renames.rename('renamed')).toEqual(expected);
    expect(await renames.names()).toEqual(['app', 'renamed']);
  });
});

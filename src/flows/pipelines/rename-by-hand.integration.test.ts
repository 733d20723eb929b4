import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { APP, killedAt, Renames, TEAM } from '#testing/stores/renames-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { applyPipeline } from './apply-pipeline.ts';
import type { RenamedFrom } from './rename-ports.ts';

/*
 * Anyone who may write Pipelines in a namespace can also write a rename's annotation. But they cannot know
 * the key of a rename that nobody requested, nor take anything over with the key of another rename.
 */
let stores: TestStores;
let renames: Renames;
let before: readonly object[];
let app: RenamedFrom;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());
beforeEach(async () => {
  renames = await Renames.begin(stores);
  before = await renames.history();
  app = { name: 'app', uid: renames.world.manifests(TEAM)[0]?.uid ?? '', key: '' };
});

/** Requests a rename without creating its object, as a gateway does that is killed in between. */
async function requestOnly(to: string): Promise<RenamedFrom> {
  const request = await stores.access.renames.requestRename(
    { ...APP, uid: app.uid, to },
    { by: 'ann', at: new Date() },
  );
  if (request.answer !== 'requested') throw new Error(request.answer);
  return { ...app, key: request.key };
}

const CASES: Record<
  string,
  () => Promise<{ name?: string; renamedFrom: RenamedFrom; byApi?: boolean; config?: string }>
> = {
  'that names a pipeline without a rename': async () => ({ renamedFrom: app }),
  'that invents a key': async () => ({ renamedFrom: { ...app, key: 'made up' } }),
  'that invents the key of a requested rename': async () => {
    await requestOnly('thief');
    return { renamedFrom: { ...app, key: 'made up' } };
  },
  'that has another name than the requested one': async () => ({ renamedFrom: await requestOnly('renamed') }),
  'that has the key of a replaced request': async () => {
    const renamedFrom = await requestOnly('thief');
    await requestOnly('renamed');
    return { renamedFrom };
  },
  'that names another object': async () => ({
    renamedFrom: { ...(await requestOnly('thief')), uid: 'uid-0' },
  }),
  'that names the pipeline by another name': async () => ({
    renamedFrom: { ...(await requestOnly('thief')), name: 'other' },
  }),
  'that is not of the API': async () => ({ renamedFrom: await requestOnly('thief'), byApi: false }),
  'whose text differs from that of the pipeline': async () => ({
    renamedFrom: await requestOnly('thief'),
    config: 'steal',
  }),
};

test.each(Object.entries(CASES))('a manifest %s takes over nothing', async (_, manifestOf) => {
  const { name = 'thief', byApi, config = 'text', renamedFrom } = await manifestOf();
  renames.world.add({ namespace: TEAM, name, spec: { config }, renamedFrom }, byApi);
  await renames.operate();
  expect([await renames.names(), renames.objects(), await renames.audit()]).toEqual([
    ['app'],
    ['app', name],
    [],
  ]);
  expect(await renames.history()).toEqual(before);
  const [, thief] = renames.world.stored.values();
  expect(thief?.verdict).toMatchObject({ ready: false, reason: 'RenameRefused' });
  expect([...renames.world.scheduled]).toEqual(['app']);
});

test('a manifest of another team takes over nothing with the key of a rename', async () => {
  await stores.teams.saveTeam({ name: 'thieves', namespace: 'thieves' });
  const renamedFrom = await requestOnly('thief');
  const thief = { team: 'thieves', namespace: 'thieves', pipeline: 'thief', uid: 'uid-9', renamedFrom };
  const applied = await applyPipeline(thief, renames.operatorPorts());
  expect(applied).toMatchObject({ outcome: 'renaming', reason: 'RenameRefused' });
  expect([await renames.names(), await renames.audit()]).toEqual([['app'], []]);
  expect(await renames.history()).toEqual(before);
});

test('a manifest whose name another pipeline got meanwhile is refused for that reason', async () => {
  const renamedFrom = await requestOnly('renamed');
  const { uid } = renames.world.add({ namespace: TEAM, name: 'renamed', spec: { config: 'text' } });
  await renames.operate();
  const late = { team: TEAM, namespace: TEAM, pipeline: 'renamed', uid: `${uid}-late`, renamedFrom };
  const applied = await applyPipeline(late, renames.operatorPorts());
  expect(applied).toMatchObject({
    outcome: 'renaming',
    reason: 'RenameRefused',
    message: expect.stringContaining('Another pipeline of main has this name.'),
  });
  expect(await renames.names()).toEqual(['app', 'renamed']);
});

test('an annotation without meaning does not disturb a running pipeline', async () => {
  const [stored] = renames.world.stored.values();
  if (stored === undefined) throw new Error('no object');
  stored.renamedFrom = { name: 'other', uid: 'uid-0', key: 'made up' };
  await renames.operate();
  expect(stored.verdict).toMatchObject({ ready: true });
  expect(stored.renamedFrom).toBeUndefined();
  expect(await renames.history()).toEqual(before);
});

test('the key of a rename works once', async () => {
  await killedAt(7, async (testProcess) => await renames.rename('renamed', { testProcess }));
  const [, newObject] = renames.world.manifests(TEAM);
  const renamedFrom = newObject?.renamedFrom;
  if (renamedFrom === undefined) throw new Error('no new object');
  await renames.operate();
  renames.world.add({ namespace: TEAM, name: 'app', spec: { config: 'text' } });
  renames.world.add({ namespace: TEAM, name: 'again', spec: { config: 'text' }, renamedFrom });
  await renames.operate();
  expect(await renames.names()).toEqual(['renamed', 'app']);
});

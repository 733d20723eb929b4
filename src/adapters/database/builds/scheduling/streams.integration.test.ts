import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { followOn, scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { eventsOf, giveTurns, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

const trigger: ResourceType = {
  name: 'trigger',
  builtIn: true,
  params: [],
  cache: false,
  origin: { source: 'svc://trigger' },
};
const now = (): Date => new Date();
let stores: TestStores;
/** Row ids by pipeline. */
const ids = new Map<string, number>();

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  for (const team of ['main', 'other']) await stores.teams.saveTeam({ name: team, namespace: team });
  await save('main/sender', job('release', put('trigger.released')));
  await save('main/receiver', job('deploy', get('trigger.released'), task('roll out')));
  await save('main/unrelated', job('deploy', get('trigger.elsewhere')));
  await save('other/outsider', job('deploy', get('trigger.released')));
});

async function save(name: string, ...jobs: Pipeline['jobs']): Promise<void> {
  const [team = '', pipeline = ''] = name.split('/');
  const names = jobs.flatMap(({ steps }) =>
    steps.flatMap((step) => ('resource' in step ? [step.resource] : [])),
  );
  const { schedule: _none, ...bare } = resource('');
  const resources = names.map((resourceName) => ({
    ...bare,
    name: resourceName,
    type: 'trigger',
    label: resourceName.split('.')[1] ?? '',
  }));
  const definition = samplePipeline({ resourceTypes: [trigger], resources, jobs });
  const saved = await stores.pipelines.savePipeline(toSave(definition, { team, pipeline, namespace: team }));
  ids.set(name, saved.id);
}

/** Runs a build of the pipeline that emits a trigger with these fields. */
async function emit(fields: Record<string, string>, pipeline = 'sender'): Promise<void> {
  await triggerOn(stores, { team: 'main', pipeline, job: 'release' }, 'ann', now());
  await giveTurns(stores);
  const build = (await stores.builds.buildsToStart(10)).find((candidate) => candidate.pipeline === pipeline);
  const events = eventsOf(['0'], now().toISOString()).map((event) =>
    event.type === 'step-ended' ? { ...event, version: fields } : event,
  );
  await followOn(stores, build?.id ?? 0, 1, events);
}

async function versionsOf(team: string, pipeline: string, name = 'trigger.released') {
  const page = await stores.views.versions({ team, pipeline, resource: name }, { limit: 10 });
  return page?.rows.map(({ fields }) => fields);
}

describe('a trigger', () => {
  test('a trigger reaches the resource of its name in every pipeline of the team, and in no other team', async () => {
    await emit({ tag: '1', trigger_pipeline: 'sender' });
    const version = { tag: '1', trigger_pipeline: 'sender' };
    expect(await versionsOf('main', 'sender')).toEqual([version]);
    expect(await versionsOf('main', 'receiver')).toEqual([version]);
    expect(await versionsOf('main', 'unrelated', 'trigger.elsewhere')).toEqual([]);
    expect(await versionsOf('other', 'outsider')).toEqual([]);
    expect(await stores.builds.pipelinesToSchedule(10)).toContain(ids.get('main/receiver'));
    const scheduled = await scheduleOn(stores, ids.get('main/receiver') ?? 0, now());
    expect(scheduled.builds).toMatchObject([{ pipeline: 'receiver', job: 'deploy', number: '1' }]);
  });

  test('a pipeline that is added later gets no earlier triggers', async () => {
    await emit({ tag: '1' });
    await save('main/late', job('deploy', get('trigger.released')));
    expect(await versionsOf('main', 'late')).toEqual([]);
    await emit({ tag: '2' });
    expect(await versionsOf('main', 'late')).toEqual([{ tag: '2' }]);
    expect(await versionsOf('main', 'receiver')).toEqual([{ tag: '2' }, { tag: '1' }]);
  });

  test('a trigger reaches no removed pipeline or resource', async () => {
    await stores.pipelines.removePipeline({ team: 'main', pipeline: 'receiver' });
    await save('main/unrelated', job('deploy', task('nothing')));
    await emit({ tag: '1' });
    await save('main/receiver', job('deploy', get('trigger.released')));
    expect(await versionsOf('main', 'receiver')).toEqual([]);
  });

  test('a trigger has no check, so nothing is due', async () => {
    expect(await stores.checks.dueChecks(new Date(Date.now() + 1e9), 10)).toEqual([]);
  });

  test('two concurrent triggers reach every pipeline, in any order', async () => {
    await save('main/second', job('release', put('trigger.released')));
    await Promise.all([emit({ tag: '1' }), emit({ tag: '2' }, 'second')]);
    for (const pipeline of ['sender', 'second', 'receiver'])
      expect((await versionsOf('main', pipeline))?.map((fields) => fields['tag']).toSorted()).toEqual([
        '1',
        '2',
      ]);
  });
});

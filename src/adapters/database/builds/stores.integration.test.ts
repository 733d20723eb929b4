import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BuildEvent } from '#domain/build/events.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { followOn, scheduleOn, stateOn, triggerOn } from '#testing/stores/schedule.ts';
import { giveTurns, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
let stores: TestStores;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

describe('the stores', () => {
  const at = new Date();
  test('work together from a definition to a build of the second job', async () => {
    const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
    expect(saved).toMatchObject({ revision: 1, changed: true, resources: [{ name: 'git.app' }] });
    expect(await stores.pipelines.savePipeline(toSave(samplePipeline()))).toMatchObject({ changed: false });

    const due = await stores.checks.dueChecks(new Date(Date.now() + 1000), 10);
    expect(due).toMatchObject([{ ...APP, resource: 'git.app', group: 'every-60s', builtInCron: false }]);
    const scope = saved.resources[0]?.scope ?? 0;
    const opened = await stores.checks.openRun([scope], 'schedule', at);
    const run = opened?.run ?? 0;
    expect(await stores.checks.dueChecks(new Date(Date.now() + 1000), 10)).toEqual([]);
    expect(await stores.sessions.openSession({ kind: 'checks', run }, 'key-1', 'pod-1', at)).toBe('opened');
    expect(await stores.checks.runFacts(run)).toMatchObject({ checks: [{ scope, resource: 'git.app' }] });
    const versions = [{ ref: 'a' }, { ref: 'b' }];
    expect((await stores.checks.recordCheck({ run, scope, versions, log: '' }, at)).recorded).toHaveLength(2);
    await stores.checks.closeRun(run, at);

    const pipelines = await stores.builds.pipelinesToSchedule(10);
    expect(pipelines).toEqual([saved.id]);
    const { builds } = await scheduleOn(stores, saved.id, at);
    expect(builds).toEqual([
      { ...APP, job: 'unit', number: '1' },
      { ...APP, job: 'unit', number: '2' },
    ]);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);

    await giveTurns(stores);
    const [first] = await stores.builds.buildsToStart(10);
    expect(first).toMatchObject({
      ...APP,
      job: 'unit',
      number: '1',
      attempt: 1,
      definition: samplePipeline({ jobs: samplePipeline().jobs.slice(0, 1) }),
    });
    const build = first?.id ?? 0;
    await stores.builds.podCreated(build, 1, 'pod-2', at);
    expect(await stores.builds.buildsToStart(10)).toHaveLength(1);
    expect(
      await stores.sessions.openSession({ kind: 'build', build, attempt: 1 }, 'key-2', 'pod-2', at),
    ).toBe('opened');
    const teamLimits = { defaultTimeoutSeconds: 900, buildLogBytes: 70_000 };
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', ...teamLimits });
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ defaultTimeoutSeconds: 900 }]);
    expect(await stores.builds.attemptFacts(build, 1)).toMatchObject({
      defaultTimeoutSeconds: 900,
      logLimitBytes: 70_000,
    });
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    expect(await stores.builds.attemptFacts(build, 1)).not.toHaveProperty('defaultTimeoutSeconds');
    expect(await stores.builds.attemptFacts(build, 1)).toMatchObject({
      versions: [{ ref: 'a' }],
      podUid: 'pod-2',
    });

    const events: BuildEvent[] = [
      { sequence: 1, at: at.toISOString(), type: 'step-started', step: '0' },
      { sequence: 2, at: at.toISOString(), type: 'log', step: '0', text: 'hello\n'.repeat(100) },
      { sequence: 3, at: at.toISOString(), type: 'step-ended', step: '0', status: 'succeeded', exitCode: 0 },
      { sequence: 4, at: at.toISOString(), type: 'step-started', step: '1' },
      { sequence: 5, at: at.toISOString(), type: 'step-ended', step: '1', status: 'succeeded', exitCode: 0 },
      {
        sequence: 6,
        at: at.toISOString(),
        type: 'build-ended',
        outcome: 'succeeded',
        reason: 'AllStepsSucceeded',
        message: 'ok',
      },
    ];
    for (let again = 0; again < 2; again += 1) {
      expect(await followOn(stores, build, 1, events)).toMatchObject({
        acknowledged: 6,
        cancel: false,
      });
    }
    expect(await stateOn(stores, build, 1)).toMatchObject({ status: 'succeeded', applied: 6 });

    expect((await scheduleOn(stores, saved.id, at)).builds).toEqual([
      { ...APP, job: 'publish', number: '1' },
    ]);
    expect((await scheduleOn(stores, saved.id, at)).builds).toEqual([]);
    expect(await triggerOn(stores, { ...APP, job: 'publish' }, 'ann', at)).toEqual({
      answer: 'created',
      build: { ...APP, job: 'publish', number: '2' },
      interrupted: [],
    });
    expect(await stores.pipelines.pipelineFacts(APP)).toMatchObject({
      jobs: [{ name: 'unit', lastBuild: { number: '2', status: 'pending' } }, { name: 'publish' }],
      resources: [{ name: 'git.app', versions: 2, stalled: false }],
    });
  });
});

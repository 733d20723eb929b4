import { beforeEach, describe, expect, test } from '@jest/globals';
import { compareWithPods } from '#flows/builds/compare-with-pods.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import {
  agentEnded,
  APP,
  checkedPipelines,
  cluster,
  findRefs,
  GIT,
  notifications,
  now,
  podNames,
  ports,
  save,
  setAhead,
  stores,
  useStores,
} from '#testing/flows/flows-under-test.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';

useStores();

describe('a check', () => {
  test('of the built-in cron type records the time as a version, without a Pod', async () => {
    const { id } = await save(samplePipeline({ resources: [resource('git.app'), resource('cron.tick')] }));
    setAhead(100);
    notifications.sent.length = 0;
    expect(await startChecks(ports())).toMatchObject({ answered: 1, runs: [expect.any(Number)] });
    const page = await stores.views.versions({ ...APP, resource: 'cron.tick' }, { limit: 1 });
    expect(page?.rows[0]?.fields['date']).toMatch(/^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}$/);
    expect(notifications.sent).toEqual([`schedule ${id}`, `status ${id}`]);
    expect(await startChecks(ports())).toMatchObject({ answered: 0, runs: [] });
  });

  test('shares a Pod with its group: one Pod at a time for a group, three for a team, ten for all', async () => {
    for (const team of ['a', 'b', 'c', 'd']) {
      await stores.teams.saveTeam({ name: team, namespace: team });
      for (const pipeline of ['one', 'two', 'three', 'four']) {
        const two = samplePipeline({ resources: [resource('git.app'), resource('git.lib')] });
        await save(two, { team, pipeline, namespace: team });
      }
    }
    const first = await startChecks(ports());
    expect(first.runs).toHaveLength(10);
    expect(first.held).toBe(12);
    const runs = await stores.checks.openRuns();
    const runsByTeam = Map.groupBy(runs, (run) => run.team);
    expect(Math.max(...runsByTeam.values().map((runsOfTeam) => runsOfTeam.length))).toBe(3);
    await stores.checks.requestCheck({ team: 'a', pipeline: 'one', resource: 'git.app' }, 'manual', now());
    expect((await startChecks(ports())).runs).toEqual([]);
    await stores.checks.closeRun(runs[0]?.run ?? 0, now());
    expect((await startChecks(ports())).runs).toHaveLength(1);
  });

  test('counts towards the limits also after its agent has connected', async () => {
    for (const team of ['a', 'b', 'c', 'd']) {
      await stores.teams.saveTeam({ name: team, namespace: team });
      for (const pipeline of ['one', 'two', 'three'])
        await save(samplePipeline(), { team, pipeline, namespace: team });
    }
    const { runs } = await startChecks(ports());
    expect(runs).toHaveLength(10);
    for (const run of runs)
      await stores.sessions.openSession({ kind: 'checks', run }, `key ${run}`, `pod ${run}`, now());
    expect(await stores.checks.openRuns()).toMatchObject(runs.map(() => ({ seen: true, byCronJob: false })));
    expect((await startChecks(ports())).runs).toEqual([]);
  });

  test('that a limit holds is notified when a running Pod has recorded its last result', async () => {
    const { id } = await save();
    const { runs } = await startChecks(ports());
    const run = runs[0] ?? 0;
    const scope = String((await stores.checks.runFacts(run))?.checks[0]?.scope);
    notifications.sent.length = 0;
    await recordVersions(run, { results: [{ scope, versions: [], log: '' }], done: false }, ports());
    expect(notifications.sent).toEqual([`status ${id}`]);
    await recordVersions(run, { results: [], done: true }, ports());
    expect(notifications.sent).toEqual([`status ${id}`, 'checks']);
  });

  describe('of a team at its limit, with more due checks than one query reads,', () => {
    beforeEach(async () => {
      const many = Array.from({ length: 300 }, (_, number) => resource(`git.r${number}`));
      for (const pipeline of ['one', 'two', 'three', 'four'])
        await save(samplePipeline({ resources: many, jobs: [] }), { pipeline });
      await stores.teams.saveTeam({ name: 'other', namespace: 'other' });
      await save(samplePipeline(), { team: 'other', pipeline: 'later', namespace: 'other' });
    });

    test('does not delay other teams while three of its own run', async () => {
      expect((await startChecks(ports())).runs).toHaveLength(4);
      expect(await checkedPipelines()).toEqual(['later', 'one', 'three', 'two']);
    });

    test('does not delay other teams while its Pods are refused', async () => {
      expect((await startChecks(ports(), new Set(['main']))).runs).toHaveLength(1);
      expect(await checkedPipelines()).toEqual(['later']);
    });
  });

  test('whose Pod a quota refuses waits with a reason, and has not failed', async () => {
    await save();
    cluster.refuse = () => ({ answer: 'refused', reason: 'QuotaExceeded', message: 'no room' });
    expect(await startChecks(ports())).toMatchObject({ runs: [], refusedTeams: ['main'] });
    expect(await stores.checks.openRuns()).toEqual([]);
    expect(await stores.views.check(GIT)).toMatchObject({
      running: false,
      failures: 0,
      stalled: false,
      held: 'QuotaExceeded: no room',
    });
    expect(await stores.views.check(GIT)).not.toHaveProperty('error');
    expect((await startChecks(ports(), new Set(['main']))).refusedTeams).toEqual([]);
    cluster.refuse = undefined;
    const { runs } = await startChecks(ports());
    expect(runs).toHaveLength(1);
    expect((await stores.views.check(GIT))?.held).toBe('QuotaExceeded: no room');
    const scope = (await stores.checks.runFacts(runs[0] ?? 0))?.checks[0]?.scope ?? 0;
    await stores.checks.recordCheck({ run: runs[0] ?? 0, scope, versions: [], log: '' }, now());
    expect(await stores.views.check(GIT)).not.toHaveProperty('held');
  });

  test('whose Pod is refused for more than two intervals is stalled, however often it is tried', async () => {
    await save();
    cluster.refuse = () => ({ answer: 'refused', reason: 'QuotaExceeded', message: 'no room' });
    setAhead(-1000);
    await startChecks(ports());
    setAhead(1);
    await startChecks(ports());
    expect((await stores.views.check(GIT))?.stalled).toBe(true);
    expect((await stores.pipelines.pipelineFacts(APP))?.resources).toMatchObject([{ stalled: true }]);
  });

  test('is not claimed while its team runs as many checks as the Team allows', async () => {
    await save(samplePipeline({ resources: [resource('git.app'), resource('git.lib', { tags: ['gpu'] })] }));
    cluster.checkSlots = 1;
    expect(await startChecks(ports())).toMatchObject({
      runs: [expect.any(Number)],
      held: 1,
      refusedTeams: [],
    });
    expect(await startChecks(ports())).toMatchObject({ runs: [], held: 1, refusedTeams: [] });
    cluster.change(podNames()[0] ?? '', { phase: 'Succeeded' });
    expect((await startChecks(ports())).runs).toHaveLength(1);
  });

  test('waits under a limit while a new leader has not listed the Pods of its team', async () => {
    await save();
    cluster.checkSlots = 1;
    cluster.isListed = false;
    expect(await startChecks(ports())).toMatchObject({ runs: [], held: 1, refusedTeams: [] });
    cluster.isListed = true;
    expect((await startChecks(ports())).runs).toHaveLength(1);
  });

  test('whose Pod the API server refuses for good reports that on its resource', async () => {
    await save();
    cluster.refuse = () => ({ answer: 'refused', reason: 'Invalid', message: 'no room' });
    expect((await startChecks(ports())).runs).toEqual([]);
    expect(await stores.views.resource(GIT)).toMatchObject({
      checkError: 'No Pod could be created: no room',
    });
    expect(await stores.checks.openRuns()).toEqual([]);
  });

  test('whose Pod could not be created gets one when open runs are compared with the Pods', async () => {
    await save();
    cluster.refuse = () => {
      throw new Error('the API server is unreachable');
    };
    expect((await startChecks(ports())).failures).toHaveLength(1);
    cluster.refuse = undefined;
    await compareWithPods(ports());
    expect(podNames()).toEqual([]);
    setAhead(30);
    await compareWithPods(ports());
    expect(podNames()).toHaveLength(1);
    await compareWithPods(ports());
    expect(cluster.createdNames).toHaveLength(1);
  });

  test('whose Pod ends without a report has failed', async () => {
    await save();
    const { runs } = await startChecks(ports());
    await stores.sessions.openSession({ kind: 'checks', run: runs[0] ?? 0 }, 'key', 'uid-1', now());
    cluster.change(`check-${runs[0]}`, agentEnded(1));
    await compareWithPods(ports());
    expect((await stores.views.resource(GIT))?.checkError).toMatch(/ended before the check had a result/);
    expect(podNames()).toEqual([]);
  });

  test('whose agent never connects fails after a time, with the reason', async () => {
    await save();
    const { runs } = await startChecks(ports());
    const containers = [
      {
        name: 'agent',
        image: 'x',
        state: 'waiting' as const,
        reason: 'ErrImagePull',
        message: 'no such image',
      },
    ];
    cluster.change(`check-${runs[0]}`, { containers });
    setAhead(200);
    await compareWithPods(ports());
    expect(podNames()).toHaveLength(1);
    setAhead(400);
    await compareWithPods(ports());
    expect((await stores.views.resource(GIT))?.checkError).toBe(
      'The Pod of the check did not start: container agent: ErrImagePull (no such image).',
    );
    expect(podNames()).toEqual([]);
  });

  test('records at most the newest hundred versions', async () => {
    await save();
    await findRefs(...Array.from({ length: 150 }, (_, index) => String(index)));
    const page = await stores.views.versions(GIT, { limit: 200 });
    expect(page?.rows.map(({ fields }) => fields['ref']).slice(0, 2)).toEqual(['149', '148']);
    expect(page?.rows).toHaveLength(100);
    expect(await stores.views.resource(GIT)).toMatchObject({ omitted: 50 });
  });

  test('of a closed run accepts nothing but a repeated last report', async () => {
    await save();
    const { runs } = await startChecks(ports());
    const run = runs[0] ?? 0;
    await recordVersions(run, { results: [], done: true }, ports());
    expect(await recordVersions(run, { results: [], done: false }, ports())).toBe('over');
    expect(await recordVersions(run, { results: [], done: true }, ports())).toBe('recorded');
  });
});

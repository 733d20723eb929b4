import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  releaseSteps,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { created, data, pipelineApi } from '#e2e/support/gateway.ts';
import { list } from '#e2e/support/read-objects.ts';

/*
 * Actions of people on a running pipeline: pause, pin, cancel and the like reach the scheduler, the agents
 * and the Pods of a real cluster.
 */
const TEAM = teamName('e2e-decide');

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

/** A resource whose every check finds a new version, and a job that builds each of them. */
const CLOCK = `
resource_type "clock" {
  check "shell" {
    cmd = "echo '[{\\"at\\": \\"'$(date +%s%N)'\\"}]'"
  }
  pull "shell" {
    cmd = "true"
  }
}
resource "clock" "now" {
  check_interval = "0 0 1 1 *"
}
job "work" {
  get "clock" "now" {
    trigger = true
  }
  task "run" {
    run "shell" {
      cmd = "echo at $GET_NOW_AT"
    }
  }
}
`;

const podsOf = (pipeline: string) =>
  list('pods', '--namespace', TEAM, '-l', `millrace.dev/kind=build,millrace.dev/pipeline=${pipeline}`);

describe('a build that is cancelled', () => {
  const api = pipelineApi(TEAM, 'cancel');

  test('while it runs gets SIGTERM, ends as cancelled with the name of the person, and loses its Pod', async () => {
    const patient = oneJob(`trap 'echo terminated; exit 0' TERM\necho ready\nsleep 600 &\nwait`);
    await createPipeline(TEAM, 'cancel', patient);
    const { number } = created(await api.trigger('work'));
    await eventually(async () => expect(await api.log('work', number)).toContain('ready'));
    expect((await api.post(`jobs/work/builds/${number}/cancel`)).status).toBe(202);
    expect(await buildEnded(TEAM, 'cancel', 'work', number)).toMatchObject({
      status: 'cancelled',
      cancelled_by: 'e2e',
      message: 'Cancelled by e2e.',
    });
    expect(await api.log('work', number)).toMatch(/^ready\nterminated\n/m);
    await eventually(async () => expect(await podsOf('cancel')).toEqual([]));
    expect((await api.post(`jobs/work/builds/${number}/cancel`)).status).toBe(409);
  }, 600_000);

  test('can be retried as build 1.1', async () => {
    const retried = created(await api.post('jobs/work/builds/1/retry'));
    expect(retried.number).toBe('1.1');
    await eventually(async () => expect(await api.log('work', '1.1')).toContain('ready'));
    await api.post('jobs/work/builds/1.1/cancel');
    expect((await buildEnded(TEAM, 'cancel', 'work', '1.1')).status).toBe('cancelled');
  }, 600_000);
});

describe('pins and pauses', () => {
  const api = pipelineApi(TEAM, 'pin');
  /** Waits for this many versions, and returns the newest. Only the first is found without a request. */
  const untilVersions = async (count: number): Promise<number> => {
    if (count > 1) expect((await api.check('clock.now')).status).toBe(202);
    return await eventually(async () => {
      const versions = await api.versions('clock.now');
      if (versions.length < count) throw new Error(`${versions.length} versions`);
      return versions[0]?.id ?? 0;
    });
  };

  test('every build uses the pinned version of a resource, and nothing newer triggers until it is unpinned', async () => {
    await createPipeline(TEAM, 'pin', CLOCK);
    const first = await untilVersions(1);
    expect((await buildEnded(TEAM, 'pin', 'work', '1')).status).toBe('succeeded');
    expect((await api.post('resources/clock.now/pin', { version_id: first, comment: 'stay' })).status).toBe(
      200,
    );
    expect((await api.resource('clock.now')).pinned_version_id).toBe(first);
    await untilVersions(2);
    expect(created(await api.trigger('work')).number).toBe('2');
    expect(await buildEnded(TEAM, 'pin', 'work', '2')).toMatchObject({ inputs: [{ version_id: first }] });
    expect((await api.builds('work')).map(({ number }) => number)).toEqual(['2', '1']);
    const third = await untilVersions(3);
    expect((await api.post('resources/clock.now/unpin')).status).toBe(200);
    expect(await buildEnded(TEAM, 'pin', 'work', '3')).toMatchObject({ inputs: [{ version_id: third }] });
  }, 600_000);

  test('a paused pipeline checks its resources but starts no build, and versions found meanwhile never trigger', async () => {
    expect((await api.post('pause')).status).toBe(200);
    await untilVersions(4);
    expect((await api.trigger('work')).status).toBe(409);
    expect((await api.post('unpause')).status).toBe(200);
    const fifth = await untilVersions(5);
    expect(await buildEnded(TEAM, 'pin', 'work', '4')).toMatchObject({ inputs: [{ version_id: fifth }] });
    expect((await api.builds('work')).map(({ number }) => number)).toEqual(['4', '3', '2', '1']);
  }, 600_000);

  test('the API cannot unpause a pipeline whose manifest pauses it', async () => {
    await createPipeline(TEAM, 'pin', CLOCK, { paused: true });
    const answer = await api.post('unpause');
    expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('managed-by-manifest')]);
  }, 600_000);
});

const serialJob = (name: string, cmd = 'true') => `
job "${name}" {
  serial_groups = ["prod"]
  task "run" {
    run "shell" {
      cmd = "${cmd}"
    }
  }
}`;

describe('the jobs of a serial group', () => {
  const api = pipelineApi(TEAM, 'serial');

  test('run one after another, the oldest build first, and report why they wait', async () => {
    const first = serialJob('one', `until ${UNTIL_RELEASED}; do sleep 0.5; done`);
    await createPipeline(TEAM, 'serial', `${first}${serialJob('two')}${serialJob('three')}`);
    for (const name of ['one', 'two', 'three']) created(await api.trigger(name));
    await eventually(async () => {
      const waiting = await data<{ builds: { job: string; reasons: { code: string }[] }[] }>(
        'GET',
        `${api.path}/waiting`,
      );
      const codes = waiting.builds.find((build) => build.job === 'three')?.reasons.map(({ code }) => code);
      expect(codes).toContain('SerialGroupQueue');
    });
    await eventually(async () => {
      await releaseSteps(TEAM, 'serial');
      expect((await api.build('one', '1')).status).toBe('succeeded');
    });
    const ended = [];
    for (const name of ['one', 'two', 'three']) ended.push(await buildEnded(TEAM, 'serial', name, '1'));
    const times = ended.map(({ started_at: from = '', ended_at: to = '' }) => ({ from, to }));
    expect(ended.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    for (const [index, { from }] of times.entries())
      if (index > 0) expect(from >= (times[index - 1]?.to ?? '')).toBe(true);
  }, 600_000);
});

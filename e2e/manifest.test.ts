import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  pipelineManifest,
  teamName,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-manifest');

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

const resourceVersions = async (): Promise<string[]> => {
  const objects = await Promise.all([get('pipeline', 'calm', '--namespace', TEAM), get('team', TEAM)]);
  return objects.map(({ metadata }) => metadata.resourceVersion);
};

/** Waits until the controllers have stopped updating the status after the first apply. */
const untilSettled = async (): Promise<string[]> => {
  let before = await resourceVersions();
  for (;;) {
    await sleep(3000);
    const after = await resourceVersions();
    if (after.join() === before.join()) return after;
    before = after;
  }
};

describe('a manifest', () => {
  test('that is applied again unchanged writes nothing', async () => {
    const config = `resource "cron" "tick" {\n  check_interval = "0 0 1 1 *"\n}\n${oneJob('true')}`;
    await createPipeline(TEAM, 'calm', config);
    const before = await untilSettled();
    const written = ['cronjobs,roles,rolebindings,networkpolicies', '--namespace', TEAM, '-o', 'yaml'];
    const objects = await kubectl('get', ...written);
    for (let round = 0; round < 3; round++) await apply(pipelineManifest(TEAM, 'calm', config));
    expect(await resourceVersions()).toEqual(before);
    expect(await kubectl('get', ...written)).toBe(objects);
  }, 600_000);

  test('that is deleted and applied again finds its builds and continues their numbers', async () => {
    await createPipeline(TEAM, 'phoenix', oneJob('echo one'));
    await pipelineApi(TEAM, 'phoenix').trigger('work');
    await buildEnded(TEAM, 'phoenix', 'work', '1');
    await kubectl('delete', 'pipeline', 'phoenix', '--namespace', TEAM, '--timeout=9m');
    await createPipeline(TEAM, 'phoenix', oneJob('echo two'));
    expect((await pipelineApi(TEAM, 'phoenix').builds('work')).map(({ number }) => number)).toEqual(['1']);
    await pipelineApi(TEAM, 'phoenix').trigger('work');
    expect((await buildEnded(TEAM, 'phoenix', 'work', '2')).status).toBe('succeeded');
    expect(await pipelineApi(TEAM, 'phoenix').log('work', '2')).toContain('two');
  }, 600_000);

  test('that is deleted during a build cancels it with SIGTERM, keeps its log and deletes its Pod', async () => {
    const patient = oneJob(`trap 'echo terminated; exit 0' TERM\necho ready\nsleep 600 &\nwait`);
    await createPipeline(TEAM, 'cancelled', patient);
    const api = pipelineApi(TEAM, 'cancelled');
    const { number } = created(await api.trigger('work'));
    await eventually(async () => expect(await api.log('work', number)).toContain('ready'));
    await kubectl('delete', 'pipeline', 'cancelled', '--namespace', TEAM, '--timeout=9m');
    const pods = `millrace.dev/kind=build,millrace.dev/pipeline=cancelled`;
    await eventually(async () => expect(await list('pods', '--namespace', TEAM, '-l', pods)).toEqual([]));
    await createPipeline(TEAM, 'cancelled', patient);
    expect(await api.build('work', number)).toMatchObject({
      status: 'cancelled',
      reason: 'Cancelled',
      attempt: 1,
      steps: [{ status: 'cancelled' }],
    });
    expect(await api.log('work', number)).toMatch(/^ready\nterminated\n/m);
    expect((await api.builds('work')).map((build) => build.number)).toEqual([number]);
  }, 600_000);

  test('has printer columns and Events in kubectl', async () => {
    await createPipeline(TEAM, 'columns', oneJob('true'));
    const table = await kubectl('get', 'pipelines,teams', '--namespace', TEAM);
    expect(table).toMatch(/NAME +READY/);
    expect(table).toMatch(/pipeline\.millrace\.dev\/columns +True/);
    await eventually(async () => {
      const described = await kubectl('describe', 'pipeline', 'columns', '--namespace', TEAM);
      expect(described).toContain('RevisionApplied');
    });
  }, 600_000);

  test.each(['pipeline', 'team', 'oauthprovider'])(
    'of kind %s has a description for every field of its spec',
    async (kind) => {
      const explained = await kubectl('explain', `${kind}.spec`, '--recursive=false');
      const fields = explained.slice(explained.indexOf('FIELDS:'));
      expect(fields).not.toContain('<no description>');
      expect(fields.length).toBeGreaterThan(100);
    },
  );
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clusterPart, isEmbedded, killContainer } from '#e2e/support/embedded.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  teamName,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import {
  endSlowBuild,
  expectLogOfTwoAttempts,
  expectWhole,
  podOf,
  slowLinesOf,
  startSlowBuild,
  waitForSecondAttempt,
} from '#e2e/support/slow-build.ts';
import { RELEASE } from '#tools/chart/install.ts';

const TEAM = teamName('e2e-crash');

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

/** Kills process 1 of every replica of one component at once. */
const killReplicas = async (component: string): Promise<void> => {
  const selector = `app.kubernetes.io/component=${component}`;
  const pods = await list('pods', '--namespace', RELEASE.namespace, '-l', selector);
  expect(pods.length).toBeGreaterThan(0);
  await Promise.all(pods.map(({ metadata }) => killContainer(RELEASE.namespace, metadata.name, component)));
};

const onlyEmbedded = isEmbedded ? describe : describe.skip;

onlyEmbedded('kill -9 during a build', () => {
  test.each(['operator', 'gateway-public', 'gateway-internal'])(
    'of every %s replica loses no log line, and the build succeeds in its first attempt',
    async (part) => {
      const pipeline = `kill-${part}`;
      const number = await startSlowBuild(TEAM, pipeline);
      await killReplicas(part);
      expect(await endSlowBuild(TEAM, pipeline, number, 4)).toMatchObject({ attempt: 1 });
      const api = pipelineApi(TEAM, pipeline);
      expectWhole(slowLinesOf(await api.log('work', number)), 6);
      expect((await api.builds('work')).map((build) => build.number)).toEqual([number]);
    },
    600_000,
  );

  test('of the agent starts a second attempt, and the log up to the kill stays', async () => {
    const number = await startSlowBuild(TEAM, 'kill-agent');
    await killContainer(TEAM, await podOf(TEAM, 'kill-agent'), 'agent');
    await waitForSecondAttempt(TEAM, 'kill-agent', number);
    expect(await endSlowBuild(TEAM, 'kill-agent', number)).toMatchObject({ attempt: 2 });
    const log = await pipelineApi(TEAM, 'kill-agent').log('work', number);
    expectLogOfTwoAttempts(log);
  }, 600_000);

  test('of the API server does not disturb a running build', async () => {
    const number = await startSlowBuild(TEAM, 'kill-api-server');
    await clusterPart('kill', 'kube-apiserver');
    await clusterPart('start', 'kube-apiserver');
    expect(await endSlowBuild(TEAM, 'kill-api-server', number, 4)).toMatchObject({ attempt: 1 });
    const next = created(await pipelineApi(TEAM, 'kill-api-server').trigger('work'));
    await endSlowBuild(TEAM, 'kill-api-server', next.number);
  }, 600_000);
});

describe('a running build whose Pod is deleted', () => {
  test('gets a second attempt, and its log up to the deletion stays', async () => {
    const number = await startSlowBuild(TEAM, 'delete-pod');
    await kubectl(
      'delete',
      'pod',
      await podOf(TEAM, 'delete-pod'),
      '--namespace',
      TEAM,
      '--grace-period=0',
      '--force',
    );
    await waitForSecondAttempt(TEAM, 'delete-pod', number);
    expect(await endSlowBuild(TEAM, 'delete-pod', number)).toMatchObject({ attempt: 2 });
    const log = await pipelineApi(TEAM, 'delete-pod').log('work', number);
    expectLogOfTwoAttempts(log);
  }, 600_000);
});

describe('a build whose step', () => {
  test.each([
    ['exits with 3', 'exit 3', 'failed'],
    ['kills its whole container', 'kill -9 -1', 'failed'],
    ['leaves a process behind', '(sleep 600 & ) ; echo done', 'succeeded'],
  ])(
    '%s has the right outcome',
    async (sentence, cmd, status) => {
      const pipeline = sentence.replaceAll(' ', '-');
      await createPipeline(TEAM, pipeline, oneJob(cmd));
      const { number } = created(await pipelineApi(TEAM, pipeline).trigger('work'));
      expect((await buildEnded(TEAM, pipeline, 'work', number)).status).toBe(status);
    },
    600_000,
  );
});

describe('a step that needs more memory than its limit', () => {
  const small = teamName('e2e-memory');
  beforeAll(
    () =>
      createTeam(small, {
        defaults: { resources: { requests: { memory: '160Mi' }, limits: { memory: '160Mi' } } },
      }),
    600_000,
  );
  afterAll(() => deleteTeam(small), 600_000);

  test('fails, and the build has the reason OutOfMemory', async () => {
    await createPipeline(
      small,
      'greedy',
      oneJob('echo before; head -c 400m /dev/zero | tail | wc -c; echo after'),
    );
    const { number } = created(await pipelineApi(small, 'greedy').trigger('work'));
    const build = await buildEnded(small, 'greedy', 'work', number);
    expect(build).toMatchObject({ status: 'failed', reason: 'OutOfMemory' });
    expect(await pipelineApi(small, 'greedy').log('work', number)).toContain('before');
  }, 600_000);
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEmbedded, killContainer } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
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
import { get, list } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';

const TEAM = teamName('e2e-early');

const onlyEmbedded = isEmbedded ? describe : describe.skip;

onlyEmbedded('a step container that is killed before its shim connects', () => {
  const internal = `deployment/${RELEASE.name}-gateway-internal`;
  const scale = (replicas: number): Promise<string> =>
    kubectl('scale', internal, '--namespace', RELEASE.namespace, `--replicas=${replicas}`);
  let replicas = 1;

  beforeAll(async () => {
    await createTeam(TEAM);
    const { spec } = await get(internal, '--namespace', RELEASE.namespace);
    replicas = Number(spec['replicas']);
  }, 600_000);
  afterAll(async () => {
    await scale(replicas);
    await deleteTeam(TEAM);
    await kubectl('rollout', 'status', internal, '--namespace', RELEASE.namespace, '--timeout=9m');
  }, 600_000);

  test('ends the attempt at once, instead of after twenty minutes', async () => {
    await createPipeline(TEAM, 'early', oneJob('echo ran'));
    // Without the gateway no step can start, however fast the containers are.
    await scale(0);
    await eventually(async () =>
      expect(
        await list(
          'pods',
          '--namespace',
          RELEASE.namespace,
          '-l',
          'app.kubernetes.io/component=gateway-internal',
        ),
      ).toEqual([]),
    );
    const early = pipelineApi(TEAM, 'early');
    const { number } = created(await early.trigger('work'));
    const selector = 'millrace.dev/kind=build,millrace.dev/pipeline=early';
    const first = await eventually(async () => {
      const [pod] = await list('pods', '--namespace', TEAM, '--selector', selector);
      if (pod?.status?.phase !== 'Running') throw new Error('the Pod does not run yet');
      return pod;
    });
    await killContainer(TEAM, first.metadata.name, 'worker');
    const killedAt = Date.now();
    await eventually(async () => {
      const pods = await list('pods', '--namespace', TEAM, '--selector', selector);
      expect(pods.some(({ metadata }) => metadata.labels?.['millrace.dev/attempt'] === '2')).toBe(true);
    }, 60);
    expect(Date.now() - killedAt).toBeLessThan(30_000);
    await scale(replicas);
    expect(await buildEnded(TEAM, 'early', 'work', number)).toMatchObject({
      status: 'succeeded',
      attempt: 2,
    });
  }, 600_000);
});

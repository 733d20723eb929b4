import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
import { condition, kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';

const TEAM = teamName('e2e-away');
const NAMESPACE = ['--namespace', RELEASE.namespace];
const POSTGRES = `${RELEASE.name}-postgres`;
const GATEWAYS = 'app.kubernetes.io/component in (gateway-public, gateway-internal)';

const scalePostgres = (replicas: number): Promise<string> =>
  kubectl('scale', `statefulset/${POSTGRES}`, ...NAMESPACE, `--replicas=${replicas}`);

beforeAll(() => createTeam(TEAM), 120_000);
afterAll(async () => {
  await scalePostgres(1);
  await kubectl('rollout', 'status', `statefulset/${POSTGRES}`, ...NAMESPACE, '--timeout=120s');
  await deleteTeam(TEAM);
}, 300_000);

interface GatewayPod {
  name: string;
  ready: boolean;
  restarts: number;
}

const gateways = async (): Promise<GatewayPod[]> =>
  (await list('pods', ...NAMESPACE, '-l', GATEWAYS)).map((pod) => {
    const statuses: unknown = pod.status?.['containerStatuses'];
    const [first]: { restartCount: number }[] = Array.isArray(statuses) ? statuses : [];
    return {
      name: pod.metadata.name,
      ready: condition(pod, 'Ready').status === 'True',
      restarts: first?.restartCount ?? Number.NaN,
    };
  });

/**
 * What a probe of the kubelet gets. `/healthz` decides whether the kubelet restarts the container, `/readyz`
 * whether the Service sends traffic.
 */
const probe = async (pod: string, path: string): Promise<string> => {
  const url = `/api/v1/namespaces/${RELEASE.namespace}/pods/${pod}:9090/proxy/${path}`;
  return await kubectl('get', '--raw', url).catch((error: unknown) => String(error));
};

const waitForGateways = async (ready: boolean): Promise<void> =>
  eventually(
    async () =>
      expect((await gateways()).map((gateway) => gateway.ready)).toEqual([ready, ready, ready, ready]),
    120,
  );

test('gateways stay alive without Postgres, and become ready without a restart when it is back', async () => {
  await createPipeline(TEAM, 'after', oneJob('true'));
  await waitForGateways(true);
  const before = await gateways();
  await scalePostgres(0);
  await waitForGateways(false);
  for (const { name } of before) {
    expect(await probe(name, 'healthz')).toBe('ok\n');
    expect(await probe(name, 'readyz')).toContain('ServiceUnavailable');
  }
  await scalePostgres(1);
  await waitForGateways(true);
  expect(await gateways()).toEqual(before);
  // The Service learns a moment later that its Pods are ready.
  const { number } = await eventually(async () => created(await pipelineApi(TEAM, 'after').trigger('work')));
  expect((await buildEnded(TEAM, 'after', 'work', number)).status).toBe('succeeded');
}, 600_000);

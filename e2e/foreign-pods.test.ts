import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runOrThrow, runProgram } from '#e2e/support/command.ts';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  releaseSteps,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { created, data, pipelineApi, type Build } from '#e2e/support/gateway.ts';
import { kubectl, type KubernetesObject } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';

/*
 * A tenant with the Kubernetes role `edit` in one team's namespace attacks builds, checks and hooks of
 * another team. The tenant's Pods carry the labels of that work and write forged termination messages.
 */
const VICTIM = teamName('e2e-victim');
const EVIL = teamName('e2e-evil');
const api = pipelineApi(VICTIM, 'app');
const AS_TENANT = [`--as=system:serviceaccount:${EVIL}:tenant`, '--namespace', EVIL];
/** Longer than the operator needs to see a Pod and to compare it with the records in the database. */
const SEEN_MS = 13_000;

const APP = `
resource_type "clock" {
  check "shell" {
    cmd = "sleep 12; echo '[{\\"at\\": \\"'$(date +%s)'\\"}]'"
  }
  pull "shell" {
    cmd = "true"
  }
}
resource "clock" "now" {
  check_interval = "0 0 1 1 *"
}
job "hooked" {
  get "clock" "now" {
    trigger = true
  }
  task "run" {
    run "shell" {
      cmd = "true"
    }
  }
  on_trigger "shell" {
    cmd = "sleep 3; echo hooked"
  }
}
job "run" {
  task "run" {
    run "shell" {
      cmd = "echo begun; until ${UNTIL_RELEASED}; do sleep 0.5; done"
    }
  }
}
job "serial" {
  concurrency = 1
  task "run" {
    run "shell" {
      cmd = "until ${UNTIL_RELEASED}; do sleep 0.5; done"
    }
  }
}
job "gated" {
  approve "ship" {
    approvals = 1
  }
  task "run" {
    run "shell" {
      cmd = "echo really ran"
    }
  }
}
`;

const FORGED = JSON.stringify({
  format: 1,
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
  exits: { 0: 0, 1: 0 },
  versions: { 0: { at: 'evil' }, 1: { at: 'evil' } },
  acknowledged: 0,
});

type BuildWithId = Build & { id: number };
let running: BuildWithId;
let serial: BuildWithId;
let queued: BuildWithId;
let gated: BuildWithId;
let image: string;

const buildWithId = async (job: string, number: string): Promise<BuildWithId> => {
  const builds = await data<BuildWithId[]>('GET', `${api.path}/jobs/${job}/builds`);
  const found = builds.find((build) => build.number === number);
  if (found === undefined) throw new Error(`there is no build ${number} of ${job}`);
  return found;
};

const trigger = async (job: string): Promise<BuildWithId> =>
  await buildWithId(job, created(await api.trigger(job)).number);

const containersOf = ({ spec }: KubernetesObject): { image: string }[] => {
  const { containers } = spec;
  return Array.isArray(containers) ? containers : [];
};

const labelsOf = (work: Record<string, number | string>): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'millrace',
  ...Object.fromEntries(Object.entries(work).map(([name, value]) => [`millrace.dev/${name}`, String(value)])),
});

/**
 * Creates a Pod as the tenant: without a script it is never scheduled, otherwise its `agent` container runs
 * the script.
 */
const createPod = async (name: string, labels: Record<string, string>, script?: string): Promise<void> => {
  const container = {
    name: 'agent',
    image,
    command: ['/bin/sh', '-c', script ?? 'true'],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const spec = {
    restartPolicy: 'Never',
    containers: [container],
    ...(script === undefined ? { nodeSelector: { no: 'such-node' } } : {}),
  };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec };
  await runOrThrow('kubectl', [...AS_TENANT, 'apply', '-f', '-'], { input: JSON.stringify(pod) });
};

const asTenant = async (...args: string[]): Promise<string> =>
  await runOrThrow('kubectl', [...AS_TENANT, ...args]);

/**
 * Waits until the operator has seen a Pod, and expects that the Pod still exists. Then, as the tenant,
 * removes its label, restores the label, and deletes the Pod.
 */
const exercisePod = async (name: string): Promise<void> => {
  const { uid } = (await get('pod', name, '--namespace', EVIL)).metadata;
  await sleep(SEEN_MS);
  expect((await get('pod', name, '--namespace', EVIL)).metadata).toMatchObject({ uid, name });
  expect((await get('pod', name, '--namespace', EVIL)).metadata.deletionTimestamp).toBeUndefined();
  await asTenant('label', 'pod', name, 'app.kubernetes.io/managed-by-');
  await sleep(1000);
  await asTenant('label', 'pod', name, 'app.kubernetes.io/managed-by=millrace');
  await sleep(1000);
  await asTenant('delete', 'pod', name, '--grace-period=0', '--force');
};

const states = async () => ({
  running: await api.build('run', running.number),
  serial: await api.build('serial', serial.number),
  queued: await api.build('serial', queued.number),
  gated: await api.build('gated', gated.number),
});

const UNHARMED = {
  running: { status: 'started', attempt: 1 },
  serial: { status: 'started', attempt: 1 },
  queued: { status: 'pending', attempt: 1 },
  gated: { status: 'waiting', attempt: 1 },
};

beforeAll(async () => {
  await Promise.all([createTeam(VICTIM), createTeam(EVIL)]);
  await kubectl('create', 'serviceaccount', 'tenant', '--namespace', EVIL);
  const edit = ['--clusterrole=edit', `--serviceaccount=${EVIL}:tenant`, '--namespace', EVIL];
  await kubectl('create', 'rolebinding', 'tenant', ...edit);
  await createPipeline(VICTIM, 'app', APP);
  running = await trigger('run');
  serial = await trigger('serial');
  queued = await trigger('serial');
  gated = await trigger('gated');
  await eventually(async () => expect(await states()).toMatchObject(UNHARMED));
  expect(await buildEnded(VICTIM, 'app', 'hooked', '1')).toMatchObject({ status: 'succeeded' });
  const [pod] = await list(
    'pods',
    '--namespace',
    VICTIM,
    '--selector',
    `millrace.dev/build-id=${running.id}`,
  );
  if (pod === undefined) throw new Error('The running build has no Pod.');
  image = containersOf(pod)[0]?.image ?? '';
}, 600_000);
afterAll(async () => {
  await releaseSteps(VICTIM, 'app');
  await Promise.all([deleteTeam(VICTIM), deleteTeam(EVIL)]);
}, 600_000);

describe('a tenant of another namespace', () => {
  test('cannot end, repeat, forge or approve a build, and Millrace deletes none of its Pods', async () => {
    const builds = [running, serial, queued, gated];
    const names = builds.flatMap(({ id }) => [`lost-${id}`, `faked-${id}`]);
    for (const { id } of builds) {
      const labels = labelsOf({ kind: 'build', 'build-id': id, attempt: 1 });
      await createPod(`lost-${id}`, labels);
      await createPod(`faked-${id}`, labels, `printf %s '${FORGED}' > /dev/termination-log`);
    }
    await eventually(async () => {
      const ended = await list('pods', '--namespace', EVIL, '--field-selector', 'status.phase=Succeeded');
      expect(ended).toHaveLength(builds.length);
    });
    await Promise.all(names.map(exercisePod));
    await sleep(SEEN_MS);
    expect(await states()).toMatchObject(UNHARMED);
    const pods = await list('pods', '--namespace', VICTIM, '--selector', 'millrace.dev/kind=build');
    expect(new Set(pods.map(({ metadata }) => Number(metadata.labels?.['millrace.dev/build-id'])))).toEqual(
      new Set([running.id, serial.id]),
    );
  }, 600_000);

  test('gets an Event on a few of its Pods, not on each', async () => {
    const events = await list('events.v1.events.k8s.io', '--namespace', EVIL);
    const reported = events.filter(
      (event) => Object.assign({ reason: '' }, event).reason === 'NotCreatedByMillrace',
    );
    expect(reported.length).toBeGreaterThan(0);
    expect(reported.length).toBeLessThan(4);
  }, 600_000);

  test('cannot end a check or replace hooks', async () => {
    expect((await api.check('clock.now')).status).toBeLessThan(300);
    const first = await eventually(async () => {
      const pods = await list('pods', '--namespace', VICTIM, '--field-selector', 'status.phase=Running');
      const runs = pods.flatMap(({ metadata }) => metadata.labels?.['millrace.dev/run'] ?? []);
      if (runs.length !== 1) throw new Error('there is no Pod of a check yet');
      return Number(runs[0]);
    });
    // The next runs belong to the hooks; their numbers are not known yet.
    for (const number of [first, first + 1, first + 2, first + 3]) {
      const labels = labelsOf({ kind: 'check', 'pipeline-id': 1, run: number });
      await createPod(`no-check-${number}`, labels);
      await createPod(`bad-check-${number}`, labels, 'exit 3');
    }
    const build = await buildEnded(VICTIM, 'app', 'hooked', '2');
    expect(build).toMatchObject({ status: 'succeeded', attempt: 1 });
    const check = await data<{ error?: string; hooks?: { error?: string; results: object[] } }>(
      'GET',
      `${api.path}/resources/clock.now/check`,
    );
    expect(check).not.toHaveProperty('error');
    expect(check.hooks).toMatchObject({ results: [{ job: 'hooked', output: 'hooked\n' }] });
    expect(check.hooks).not.toHaveProperty('error');
    const found = (await api.versions('clock.now')).map(({ version }) => version);
    expect(found).toEqual([1, 2].map(() => ({ at: expect.stringMatching(/^\d+$/) })));
    const remaining = await list('pods', '--namespace', EVIL, '--selector', 'millrace.dev/kind=check');
    expect(remaining).toHaveLength(8);
    await asTenant('delete', 'pods', '--all', '--grace-period=0', '--force');
  }, 600_000);
});

describe('a member who copies the Pod of a running build', () => {
  test('changes nothing while the copy runs or when it is deleted, and Millrace does not delete it', async () => {
    const selector = `millrace.dev/build-id=${running.id}`;
    const [pod] = await list('pods', '--namespace', VICTIM, '--selector', selector);
    if (pod === undefined) throw new Error('The running build has no Pod.');
    const { labels = {}, annotations = {} } = pod.metadata;
    const { nodeName: _, ...spec } = pod.spec;
    const copy = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'copy', labels, annotations }, spec };
    await runOrThrow('kubectl', ['apply', '--namespace', VICTIM, '-f', '-'], { input: JSON.stringify(copy) });
    await sleep(SEEN_MS);
    expect((await get('pod', 'copy', '--namespace', VICTIM)).metadata.deletionTimestamp).toBeUndefined();
    await runProgram('kubectl', [
      'delete',
      'pod',
      'copy',
      '--namespace',
      VICTIM,
      '--grace-period=0',
      '--force',
    ]);
    await sleep(SEEN_MS);
    expect(await states()).toMatchObject(UNHARMED);
    expect((await get('pod', pod.metadata.name, '--namespace', VICTIM)).metadata.uid).toBe(pod.metadata.uid);
  }, 600_000);
});

describe('after these attacks', () => {
  test('every build runs to its end, and the gated one starts once somebody approves it', async () => {
    expect((await api.post(`jobs/gated/builds/${gated.number}/approve`)).status).toBeLessThan(300);
    expect(await buildEnded(VICTIM, 'app', 'gated', gated.number)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
    });
    expect(await api.log('gated', gated.number)).toContain('really ran');
    await eventually(async () => {
      await releaseSteps(VICTIM, 'app');
      const { running: one, serial: two, queued: three } = await states();
      const succeeded = { status: 'succeeded', attempt: 1 };
      expect([one, two, three]).toMatchObject([succeeded, succeeded, succeeded]);
    });
  }, 600_000);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { V1CronJob, V1Job } from '@kubernetes/client-node';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { checkCronJob } from '#adapters/kubernetes/manifests/check-cron-job.ts';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import { checkDeadlineSeconds } from '#domain/planning/check-deadline.ts';
import { ANYWHERE } from '#domain/planning/choose-nodes.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';

/*
 * The CronJob of a check group under Kubernetes' own controllers, on a real API server. Nothing runs the
 * Pods.
 */
const NAMESPACE = 'team-blue';
const JOBS: ApiKind<Wire<V1Job>> = { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', namespaced: true };
const HOURS_OFF = 3;
/** A limit for tests that hang. */
const HANG_LIMIT_MS = 300_000;
let server: OwnApiServer;
let connection: Connection;
let client: ApiClient;

beforeAll(async () => {
  server = await startApiServer();
  connection = server.connect();
  client = new ApiClient(connection);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  orThrow(await client.create(KINDS.namespaces, namespace), 'making the namespace');
  orThrow(await client.create(KINDS.cronJobs, everyMinute()), 'making the CronJob');
}, 600_000);
afterAll(async () => {
  await connection.close();
  await server.stop();
}, 600_000);

function everyMinute(): Wire<V1CronJob> {
  const group = {
    key: 'cron-1',
    tags: [],
    resources: ['git.app'],
    schedule: { kind: 'cron' as const, expression: '* * * * *', timeZone: 'America/New_York' },
    timedByOperator: false,
  };
  const owner = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', name: 'demo', uid: 'uid-1' };
  const cronJob = checkCronJob(
    {
      team: 'blue',
      pipeline: 'demo',
      pipelineId: 3,
      group,
      placement: ANYWHERE,
      mounts: [],
      containers: [{ name: 'worker' }],
      deadlineSeconds: checkDeadlineSeconds(1),
      shim: { secret: 'secret', keyOf: (container) => container },
      owner,
    },
    {
      name: 'blue',
      namespace: NAMESPACE,
      podSecurity: 'baseline',
      imagePullSecrets: [],
      workers: [],
      requests: {},
      limits: {},
    },
    {
      release: 'millrace',
      namespace: 'millrace-system',
      image: 'localhost/millrace:1',
      imagePullPolicy: 'IfNotPresent',
      pods: { imagePullPolicy: 'IfNotPresent', storage: {} },
      gateway: 'https://gateway:8443',
      certificateAuthority: 'PEM',
    },
  );
  const wire: Wire<V1CronJob> = JSON.parse(JSON.stringify(cronJob));
  // The owner does not exist, and this test runs no garbage collector.
  delete wire.metadata?.ownerReferences;
  return wire;
}

async function listAll<T>(kind: ApiKind<T>): Promise<T[]> {
  const found: T[] = [];
  orThrow(await client.list(kind, { namespace: NAMESPACE }, (items) => void found.push(...items)), 'listing');
  return found;
}

/** The objects of the kind, once there are any. */
async function waitForObjects<T>(kind: ApiKind<T>): Promise<T[]> {
  const deadline = Date.now() + HANG_LIMIT_MS;
  for (;;) {
    const found = await listAll(kind);
    if (found.length > 0) return found;
    if (Date.now() > deadline) throw new Error(`No ${kind.kind} came in ${HANG_LIMIT_MS / 1000} s.`);
    await sleep(200);
  }
}

/** Sets the CronJob's last run back, as if the controller had been off since then. */
async function setLastScheduleBack(): Promise<void> {
  const cronJob = (await listAll(KINDS.cronJobs))[0];
  const { name = '', uid = '' } = cronJob?.metadata ?? {};
  const lastScheduleTime = new Date(Date.now() - HOURS_OFF * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const object = { metadata: { name, namespace: NAMESPACE, uid }, status: { lastScheduleTime } };
  orThrow(await client.applyStatus(KINDS.cronJobs, object), 'setting the last run back');
}

test('checks continue, without 180 at once, after the CronJob controller was off for three hours', async () => {
  await setLastScheduleBack();
  for (const outage of [1, 2]) {
    const stopControllers = await server.startControllers('cronjob-controller', 'job-controller');
    const jobs = await waitForObjects(JOBS);
    const pods = await waitForObjects(KINDS.pods);
    await stopControllers();
    expect([outage, jobs.length, pods.length]).toEqual([outage, 1, 1]);
    expect(pods[0]?.metadata?.labels).toMatchObject({
      [LABEL.pipelineId]: '3',
      [LABEL.checkGroup]: 'cron-1',
    });
    const names = { namespace: NAMESPACE, name: jobs[0]?.metadata?.name ?? '' };
    // As if the check of the Job had ended and the Job's retention time were over.
    orThrow(await client.delete(JOBS, names, {}), 'deleting the Job');
    for (const { metadata } of pods) {
      const pod = { namespace: NAMESPACE, name: metadata?.name ?? '' };
      orThrow(
        await client.patchMerge(KINDS.pods, pod, { metadata: { finalizers: null } }),
        'removing the finalizers',
      );
      orThrow(await client.delete(KINDS.pods, pod, { graceSeconds: 0 }), 'deleting the Pod');
    }
    await setLastScheduleBack();
  }
}, 600_000);

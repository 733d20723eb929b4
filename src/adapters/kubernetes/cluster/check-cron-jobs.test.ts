import { describe, expect, test } from '@jest/globals';
import type { V1CronJob } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { nodeLabel } from '#adapters/kubernetes/manifests/labels.ts';
import { scheduledChecks } from '#domain/planning/scheduled-checks.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { applyCheckCronJobs, type CheckCronJobsOptions } from './check-cron-jobs.ts';

/* What happens to existing CronJobs, with an API server in memory. */
type StoredCronJobs = Map<string, Wire<V1CronJob>>;

const pipeline = {
  team: 'blue',
  pipeline: 'app',
  namespace: 'blue',
  uid: 'uid-1',
  id: 7,
  checks: scheduledChecks(
    samplePipeline({ resources: [resource('git.app')] }),
    { name: 'blue', workers: [] },
    nodeLabel,
  ),
};

function options(stored: StoredCronJobs, calls: string[]): CheckCronJobsOptions {
  const getStored = async (name: string) => {
    const value: object | undefined = stored.get(name);
    return value === undefined
      ? { ok: false as const, status: 404, reason: 'NotFound', message: 'no' }
      : { ok: true as const, value: JSON.parse(JSON.stringify(value)) };
  };
  return {
    agentKey: Buffer.alloc(32, 1),
    rulesOf: () => ({
      name: 'blue',
      namespace: 'blue',
      podSecurity: 'baseline',
      imagePullSecrets: [],
      workers: [],
      requests: {},
      limits: {},
    }),
    installation: () => ({
      release: 'millrace',
      namespace: 'millrace-system',
      image: 'localhost/millrace:1',
      imagePullPolicy: 'IfNotPresent',
      pods: { imagePullPolicy: 'IfNotPresent', storage: {} },
      gateway: 'https://gateway:8443',
      certificateAuthority: 'PEM',
    }),
    client: {
      list: async (_kind, { labelSelector = '' }, take) => {
        const labels = labelSelector.split(',').map((label) => label.split('='));
        const items = [...stored.values()].filter(({ metadata }) =>
          labels.every(([name = '', value]) => metadata?.labels?.[name] === value),
        );
        take(JSON.parse(JSON.stringify(items)));
        return { ok: true, value: '1' };
      },
      get: async (_kind, { name }) => await getStored(name),
      apply: async (_kind, object) => {
        const applied: Wire<V1CronJob> = JSON.parse(JSON.stringify(object));
        const name = applied.metadata?.name ?? '';
        calls.push(`apply ${name}`);
        stored.set(name, applied);
        return await getStored(name);
      },
      delete: async (_kind, { name }) => {
        calls.push(`delete ${name}`);
        stored.delete(name);
        return { ok: true, value: 'deleted' };
      },
    },
  };
}

async function firstApplied(): Promise<{ stored: StoredCronJobs; name: string }> {
  const stored: StoredCronJobs = new Map();
  expect(await applyCheckCronJobs(pipeline, options(stored, []))).toEqual([]);
  const [name = ''] = stored.keys();
  return { stored, name };
}

type Change = (cronJob: Wire<V1CronJob>) => void;

const removeOwners: Change = ({ metadata }) => {
  if (metadata !== undefined) metadata.ownerReferences = [];
};

describe('an existing CronJob with the name of a check’s CronJob', () => {
  const OTHERS: Record<string, Change> = {
    'of somebody else': (cronJob) => {
      removeOwners(cronJob);
      if (cronJob.metadata !== undefined) cronJob.metadata.labels = {};
    },
    'with our labels but no owner': removeOwners,
    'with an owner of our name but without our labels': ({ metadata }) => {
      if (metadata !== undefined) metadata.labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    },
    'of another Pipeline': ({ metadata }) => {
      for (const owner of metadata?.ownerReferences ?? [])
        Object.assign(owner, { name: 'other', uid: 'uid-2' });
    },
  };
  test.each(Object.entries(OTHERS))('%s is left unchanged and reported', async (_, change) => {
    const { stored, name } = await firstApplied();
    const theirs = stored.get(name);
    if (theirs !== undefined) change(theirs);
    const before = JSON.stringify(theirs);
    const calls: string[] = [];
    const blocked = await applyCheckCronJobs(pipeline, options(stored, calls));
    expect([calls, JSON.stringify(stored.get(name))]).toEqual([[], before]);
    expect(blocked).toEqual([
      `Millrace did not create the CronJob blue/${name}, so it does not check: git.app. ` +
        `If nobody needs the CronJob, delete it: kubectl -n blue delete cronjob ${name}`,
    ]);
    // Removing the check does not delete the CronJob either.
    const none = { ...pipeline, checks: [] };
    expect([await applyCheckCronJobs(none, options(stored, calls)), calls]).toEqual([[], []]);
  });

  const OURS: Record<string, [change: Change, calls: (name: string) => string[]]> = {
    'is left alone if it is ours and unchanged': [() => undefined, () => []],
    'is applied again if it is ours and was changed': [
      ({ spec }) => {
        if (spec !== undefined) spec.schedule = '0 0 1 1 *';
      },
      (name) => [`apply ${name}`],
    ],
    'is applied again if it belongs to an earlier Pipeline of the same name': [
      ({ metadata }) => {
        for (const owner of metadata?.ownerReferences ?? []) owner.uid = 'uid-0';
      },
      (name) => [`apply ${name}`],
    ],
  };
  test.each(Object.entries(OURS))('%s', async (_, [change, expected]) => {
    const { stored, name } = await firstApplied();
    const ours = stored.get(name);
    if (ours !== undefined) change(ours);
    const calls: string[] = [];
    expect(await applyCheckCronJobs(pipeline, options(stored, calls))).toEqual([]);
    expect(calls).toEqual(expected(name));
  });
});

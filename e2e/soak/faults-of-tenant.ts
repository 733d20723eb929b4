import { podsOf, type Pod } from './containers.ts';
import type { FaultContext, FaultKind } from './fault-kind.ts';
import { createPods, deletePods, hostileTeam, type Forgery } from './tenant.ts';

/** The most foreign Pods of a fault that is not a flood. */
const MAX_QUIET = 4;
const FLOOD = 60;

type Labels = Record<string, string>;

const MANAGED_BY_MILLRACE = { 'app.kubernetes.io/managed-by': 'millrace' };

/**
 * Labels of the builds or checks that have Pods, and of the next two ids, which builds or checks without a
 * Pod may have.
 */
const labelsOfWork = (pods: readonly Pod[], kind: 'build' | 'check'): Labels[] => {
  const label = kind === 'build' ? 'millrace.dev/build-id' : 'millrace.dev/run';
  const ids = pods.flatMap(({ labels }) => (labels[label] === undefined ? [] : Number(labels[label])));
  const next = Math.max(0, ...ids);
  const attempts = new Map(pods.map(({ labels }) => [Number(labels[label]), labels['millrace.dev/attempt']]));
  return [...new Set([...ids, next + 1, next + 2])].map((id) => ({
    ...MANAGED_BY_MILLRACE,
    'millrace.dev/kind': kind,
    [label]: String(id),
    ...(kind === 'build'
      ? { 'millrace.dev/attempt': attempts.get(id) ?? '1' }
      : { 'millrace.dev/pipeline-id': '1' }),
  }));
};

/** Labels for the foreign Pods, from `work` in turn. Only in a flood do several Pods have the same labels. */
const forgedLabels = (work: readonly Labels[], limit: number): Labels[] => {
  if (limit <= MAX_QUIET) return work.slice(0, limit);
  return Array.from({ length: limit }, (_, index) => work[index % work.length] ?? {});
};

const forge =
  (kind: 'build' | 'check', forgery: Forgery, limit = MAX_QUIET) =>
  async ({ team, recordTarget, hold, recordForeignPods }: FaultContext): Promise<void> => {
    const work = labelsOfWork(await podsOf(team, `millrace.dev/kind=${kind}`), kind);
    const onlyNextIds = work.length === 2;
    if (onlyNextIds) throw new Error(`no Pod of a ${kind} runs`);
    const chosen = forgedLabels(work, limit);
    const namespace = hostileTeam(team);
    recordTarget(`${chosen.length} foreign Pods`);
    const created = await createPods(namespace, chosen, forgery);
    recordForeignPods(created);
    await hold();
    await deletePods(namespace, created);
  };

/** All these faults act in another team's namespace, so none may affect a build or a check. */
export const FAULTS_OF_TENANT: readonly FaultKind[] = [
  {
    name: 'forge lost Pods of builds',
    weight: 3,
    seconds: [4, 12],
    group: 'tenant',
    inflict: forge('build', 'lost'),
  },
  {
    name: 'forge ends of builds',
    weight: 3,
    seconds: [5, 12],
    group: 'tenant',
    inflict: forge('build', 'succeeded'),
  },
  {
    name: 'forge failures of checks',
    weight: 2,
    seconds: [5, 10],
    group: 'tenant',
    inflict: forge('check', 'failed'),
  },
  {
    name: 'flood with foreign Pods',
    weight: 1,
    seconds: [6, 12],
    group: 'tenant',
    inflict: forge('build', 'lost', FLOOD),
  },
];

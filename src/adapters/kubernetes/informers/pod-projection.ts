import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { CACHE_VOLUME } from '#adapters/kubernetes/manifests/pod-volumes.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { ContainerFacts, PodFacts } from '#flows/pods/ports.ts';
import { projectMeta, projectReference } from './projections.ts';
import { workOfLabels } from './work-of-pod.ts';

export interface PodProjection extends CachedObject {
  labels: Record<string, string>;
  /** Absent if the labels of the Pod name no work of Millrace. */
  facts?: PodFacts;
}

/** `sealed`: whether the Pod has a valid seal of Millrace. */
export function projectPod(pod: Wire<V1Pod>, sealed: boolean): PodProjection {
  const reference = projectReference({ metadata: pod.metadata ?? {} });
  const labels = pod.metadata?.labels ?? {};
  const work = workOfLabels(labels);
  return {
    ...reference,
    labels,
    ...(work !== undefined && { facts: { ...podFacts(pod), work, sealed } }),
  };
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/** The facts in the spec and status of a Pod. */
export function podFacts({ metadata, spec, status }: Wire<V1Pod>): Omit<PodFacts, 'work' | 'sealed'> {
  const { containerStatuses = [], phase, reason, message } = status ?? {};
  const { namespace, name, uid, deletedAt } = projectMeta(metadata);
  return defined({
    namespace,
    name,
    uid,
    createdAt: new Date(metadata?.creationTimestamp ?? 0),
    deleting: deletedAt !== undefined,
    deletedAt,
    phase: PHASES.find((known) => known === phase) ?? 'Unknown',
    ...factsOfConditions(status),
    ...factsOfSpec(spec, containerStatuses),
    reason,
    message,
  });
}

function factsOfSpec(
  { nodeSelector, volumes = [], containers = [] }: Partial<NonNullable<Wire<V1Pod>['spec']>> = {},
  statuses: NonNullable<NonNullable<Wire<V1Pod>['status']>['containerStatuses']>,
): Pick<PodFacts, 'nodeSelector' | 'hasCache' | 'containers'> {
  const states = new Map(statuses.map((container) => [container.name, container.state]));
  return defined({
    nodeSelector,
    hasCache: volumes.some(({ name }) => name.startsWith(CACHE_VOLUME)) || undefined,
    containers: containers.map((container) =>
      containerFacts(container.name, container.image ?? '', states.get(container.name) ?? {}),
    ),
  });
}

function findCondition(status: Wire<V1Pod>['status'], type: string): Condition | undefined {
  return status?.conditions?.find((candidate) => candidate.type === type);
}

function factsOfConditions(
  status: Wire<V1Pod>['status'],
): Pick<PodFacts, 'scheduled' | 'scheduledAt' | 'unschedulable' | 'disruption' | 'sandboxReady'> {
  const scheduled = findCondition(status, 'PodScheduled');
  const isScheduled = scheduled?.status === 'True';
  const disrupted = findCondition(status, 'DisruptionTarget');
  const sandbox = findCondition(status, 'PodReadyToStartContainers');
  return defined({
    scheduled: isScheduled,
    scheduledAt: isScheduled ? date(scheduled.lastTransitionTime) : undefined,
    unschedulable: scheduled?.status === 'False' ? scheduled.message : undefined,
    sandboxReady: sandbox && sandbox.status === 'True',
    disruption: disrupted?.status === 'True' ? disrupted.reason : undefined,
  });
}

type Condition = NonNullable<NonNullable<Wire<V1Pod>['status']>['conditions']>[number];
type ContainerState = NonNullable<
  NonNullable<NonNullable<Wire<V1Pod>['status']>['containerStatuses']>[number]['state']
>;

function containerFacts(name: string, image: string, state: ContainerState): ContainerFacts {
  const { waiting, running, terminated } = state;
  if (terminated !== undefined) {
    const { reason, message, exitCode, signal } = terminated;
    const times = { startedAt: date(terminated.startedAt), finishedAt: date(terminated.finishedAt) };
    return defined({
      name,
      image,
      state: 'terminated' as const,
      reason,
      message,
      exitCode,
      signal,
      ...times,
    });
  }
  if (running !== undefined) {
    return defined({ name, image, state: 'running' as const, startedAt: date(running.startedAt) });
  }
  return defined({
    name,
    image,
    state: 'waiting' as const,
    reason: waiting?.reason,
    message: waiting?.message,
  });
}

/** The kubelet writes null for times that it does not know. */
function date(text: string | null | undefined): Date | undefined {
  return typeof text === 'string' ? new Date(text) : undefined;
}

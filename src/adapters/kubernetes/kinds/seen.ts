import type { V1ConfigMap, V1CronJob, V1Node, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#adapters/kubernetes/defined.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import { renamedFromOf } from '#adapters/kubernetes/renamed-from.ts';
import type { Kept } from '#adapters/kubernetes/watch/store.ts';
import type { RenamedFrom } from '#flows/pipelines/rename-ports.ts';
import type { ContainerFacts, PodFacts } from '#flows/pods/ports.ts';
import type { OAuthProviderObject, PipelineObject, TeamObject } from './custom-resources.ts';
import { workOf } from './work-of-pod.ts';

/*
 * What is kept of each watched object: a few hundred bytes, whatever the object's size. A text of 256 KiB in
 * a Pipeline is read again when it is needed.
 */

export interface SeenMeta extends Kept {
  generation: number;
  finalizers: string[];
  /** When deletion was asked for. */
  deletedAt?: Date;
  /** The API made it, and this account changed it last. */
  byApi?: { changedBy: string };
}

export type SeenTeam = SeenMeta & {
  createdAt?: Date;
  spec: Wire<TeamObject>['spec'];
  status: Wire<TeamObject>['status'];
};
export type SeenOAuthProvider = SeenMeta & {
  spec: Wire<OAuthProviderObject>['spec'];
  status: Wire<OAuthProviderObject>['status'];
};

export interface SeenPipeline extends SeenMeta {
  displayName?: string;
  public?: boolean;
  paused?: boolean;
  pins?: { resource: string; version: Record<string, string> }[];
  /** Names of the ConfigMaps and Secrets that it refers to. */
  configMaps: string[];
  secrets: string[];
  /** The annotation that asks for sources to be fetched anew. */
  requestedAt?: string;
  /** The annotation of an object that is to go on with the pipeline of another one. */
  renamedFrom?: RenamedFrom;
  status?: Wire<PipelineObject>['status'];
}

export interface SeenPod extends Kept {
  labels: Record<string, string>;
  facts?: PodFacts;
}

export interface SeenOwned extends Kept {
  pipeline: string;
}

function seenMeta(metadata: Wire<V1ObjectMeta> | undefined): SeenMeta {
  const { namespace = '', name = '', uid = '', resourceVersion = '', generation = 0 } = metadata ?? {};
  const { finalizers = [], deletionTimestamp } = metadata ?? {};
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    finalizers,
    ...(deletionTimestamp === undefined ? {} : { deletedAt: new Date(deletionTimestamp) }),
    ...seenByApi(metadata),
  };
}

function seenByApi(metadata: Wire<V1ObjectMeta> | undefined): Pick<SeenMeta, 'byApi'> {
  const { labels = {}, annotations = {} } = metadata ?? {};
  if (labels[LABEL.madeBy] !== BY_API) return {};
  return { byApi: { changedBy: annotations[ANNOTATION.changedBy] ?? BY_API } };
}

export function seenTeam({ metadata, spec, status }: Wire<TeamObject>): SeenTeam {
  const created = metadata?.creationTimestamp;
  return {
    ...seenMeta(metadata),
    ...(created !== undefined && { createdAt: new Date(created) }),
    spec,
    status,
  };
}

export function seenOAuthProvider({ metadata, spec, status }: Wire<OAuthProviderObject>): SeenOAuthProvider {
  return { ...seenMeta(metadata), spec, status };
}

export function seenPipeline({ metadata, spec, status }: Wire<PipelineObject>): SeenPipeline {
  const { displayName, paused, pins, configFrom, varsFrom = [] } = spec;
  return defined({
    ...seenMeta(metadata),
    configMaps: [
      ...(configFrom === undefined ? [] : [configFrom.configMapKeyRef.name]),
      ...varsFrom.flatMap((source) => source.configMapRef?.name ?? []),
    ],
    secrets: varsFrom.flatMap((source) => source.secretRef?.name ?? []),
    requestedAt: metadata?.annotations?.[ANNOTATION.requestedAt],
    renamedFrom: renamedFromOf(metadata?.annotations),
    status,
    displayName,
    public: spec.public,
    paused,
    pins,
  });
}

/** Only that it changed: ConfigMaps and Secrets are watched without their contents. */
export function seenReference({ metadata }: Pick<Wire<V1ConfigMap>, 'metadata'>): Kept {
  const { namespace, name, uid, resourceVersion } = seenMeta(metadata);
  return { namespace, name, uid, resourceVersion };
}

export function seenCronJob({ metadata }: Wire<V1CronJob>): SeenOwned {
  const owner = metadata?.ownerReferences?.find((reference) => reference.kind === 'Pipeline');
  return { ...seenReference({ metadata: metadata ?? {} }), pipeline: owner?.name ?? '' };
}

export function seenPod(pod: Wire<V1Pod>, sealed: boolean): SeenPod {
  const kept = seenReference({ metadata: pod.metadata ?? {} });
  const labels = pod.metadata?.labels ?? {};
  const work = workOf(labels);
  return { ...kept, labels, ...(work === undefined ? {} : { facts: { ...factsOf(pod), work, sealed } }) };
}

/**
 * A node that takes new Pods, or why it is left out: nothing of it but what the start window is worked out
 * from.
 */
export interface SeenNode extends Kept {
  labels: Record<string, string>;
  cores: number;
  /** It is ready and nobody has cordoned it. */
  takesPods: boolean;
  /** Only Pods that tolerate its taints may run there. */
  tainted: boolean;
}

export function seenNode({ metadata = {}, spec = {}, status = {} }: Wire<V1Node>): SeenNode {
  const { conditions: known = [], allocatable = {} } = status;
  const ready = known.some((one) => one.type === 'Ready' && one.status === 'True');
  return {
    ...seenReference({ metadata }),
    labels: metadata.labels ?? {},
    cores: coresOf(allocatable['cpu'] ?? '1'),
    takesPods: ready && spec.unschedulable !== true,
    tainted: (spec.taints ?? []).some(({ effect }) => BARRING.has(effect)),
  };
}

/** Effects of a taint that keep Pods away. */
const BARRING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/** `4`, `3920m`. */
function coresOf(quantity: string): number {
  const amount = Number.parseFloat(quantity);
  const cores = quantity.endsWith('m') ? amount / 1000 : amount;
  return Number.isFinite(cores) ? cores : 1;
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/** What it tells of itself, but for what it is for. */
export function factsOf({ metadata, spec, status }: Wire<V1Pod>): Omit<PodFacts, 'work' | 'sealed'> {
  const { containerStatuses = [], phase, reason, message } = status ?? {};
  const { namespace, name, uid, deletedAt } = seenMeta(metadata);
  const states = new Map(containerStatuses.map((container) => [container.name, container.state]));
  return defined({
    namespace,
    name,
    uid,
    createdAt: new Date(metadata?.creationTimestamp ?? 0),
    deleting: deletedAt !== undefined,
    deletedAt,
    phase: PHASES.find((known) => known === phase) ?? 'Unknown',
    ...conditions(status),
    nodeSelector: spec?.nodeSelector,
    containers: (spec?.containers ?? []).map((container) =>
      containerFacts(container.name, container.image ?? '', states.get(container.name) ?? {}),
    ),
    reason,
    message,
  });
}

function condition(status: Wire<V1Pod>['status'], type: string): Condition | undefined {
  return status?.conditions?.find((candidate) => candidate.type === type);
}

function conditions(
  status: Wire<V1Pod>['status'],
): Pick<PodFacts, 'scheduled' | 'scheduledAt' | 'unschedulable' | 'disruption'> {
  const scheduled = condition(status, 'PodScheduled');
  const isScheduled = scheduled?.status === 'True';
  const disrupted = condition(status, 'DisruptionTarget');
  return defined({
    scheduled: isScheduled,
    scheduledAt: isScheduled ? date(scheduled.lastTransitionTime) : undefined,
    unschedulable: scheduled?.status === 'False' ? scheduled.message : undefined,
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

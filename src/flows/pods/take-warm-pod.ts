import { admitPod } from '#domain/planning/admit-pod.ts';
import { needsOfBuild } from '#domain/planning/pod-needs.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { AdmittedPod, Cluster } from './ports.ts';
import type { WarmPodStore } from './warm-ports.ts';
import type { PendingBuild } from './workloads.ts';

export interface TakeWarmPorts {
  cluster: Pick<Cluster, 'teamPods' | 'nodeLabel' | 'runningPods' | 'shapeOf'>;
  warmPods: Pick<WarmPodStore, 'take'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/**
 * `hit`: the build took a warm Pod. `miss`: no warm Pod of its shape is ready, or it is not the first attempt
 * of the build. `unfit`: no warm Pod can run the job (see `fitForWarm`). `off`: the Team keeps no warm Pods.
 */
export type WarmResult = 'hit' | 'miss' | 'unfit' | 'off';

/** Gives the build a warm Pod, if one of its shape is ready. */
export async function takeWarmPod(build: PendingBuild, ports: TakeWarmPorts): Promise<WarmResult> {
  const { cluster, warmPods, notifications, now } = ports;
  const { id, attempt, team } = build;
  if (cluster.teamPods(team)?.warm === undefined) return 'off';
  const fit = fitForWarm(build, cluster);
  if (fit === undefined) return 'unfit';
  // A later attempt gets a new Pod, so that the end of the lost Pod cannot end the new attempt too.
  if (attempt > 1) return 'miss';
  const taken = await warmPods.take({ build: id, attempt }, { team, shape: fit.shape, at: now() });
  if (taken === undefined) return 'miss';
  notifications.notify({ topic: 'warm', warm: taken.id });
  notifications.notify({ topic: 'status', pipeline: build.pipelineId });
  return 'hit';
}

export interface WarmFit {
  shape: string;
  pod: AdmittedPod;
}

/**
 * The shape of a job's Pod. Undefined if no warm Pod can have this shape: the Pod mounts volumes of caches or
 * of the Team, or the Team does not admit the Pod.
 */
export function fitForWarm(
  {
    definition,
    job,
    team: name,
    defaultTimeoutSeconds,
  }: Omit<PendingBuild, 'id' | 'attempt' | 'number' | 'createdAt'>,
  cluster: TakeWarmPorts['cluster'],
): WarmFit | undefined {
  const team = cluster.teamPods(name);
  if (team === undefined) return undefined;
  const { tags, caches, ...needs } = needsOfBuild(definition, job, defaultTimeoutSeconds);
  const mounted = team.caches === undefined ? caches.filter(({ byDefault }) => !byDefault) : caches;
  if (mounted.length > 0) return undefined;
  const running = (): number | undefined => cluster.runningPods(name, 'build');
  const labelOf = (tag: string): string => cluster.nodeLabel(tag);
  const admitted = admitPod(
    { kind: 'build', team: name, tags, containers: needs.containers, labelOf, running },
    team,
  );
  if (admitted.answer === 'refused' || admitted.mounts.length > 0) return undefined;
  const pod = { ...needs, caches: [], mounts: [], placement: admitted.placement };
  return { shape: cluster.shapeOf(name, pod), pod };
}

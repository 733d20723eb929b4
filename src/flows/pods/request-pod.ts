import { admitPod, type PodAdmission, type PodKind, type PodToAdmit } from '#domain/planning/admit-pod.ts';
import { isPlacementRefusal, placePod } from '#domain/planning/choose-nodes.ts';
import {
  needsOfBuild,
  needsOfChecks,
  needsOfHooks,
  needsOfNotifications,
  tagsOfJob,
  type CheckPodNeeds,
  type PodNeeds,
} from '#domain/planning/pod-needs.ts';
import type { AdmittedPod, Cluster, CreatePodAnswer, NodeSelector } from './ports.ts';
import { takeCaches, type CachesToTake, type TakeCachesPorts } from './take-caches.ts';
import type { CheckRunFacts, PendingBuild } from './workloads.ts';

type AdmitPorts = Pick<Cluster, 'teamPods' | 'nodeLabel' | 'runningPods'>;

export interface RequestBuildPodPorts extends TakeCachesPorts {
  cluster: AdmitPorts & Pick<Cluster, 'createBuildPod' | 'prepareClaim'>;
}

export interface RequestCheckPodPorts extends TakeCachesPorts {
  cluster: AdmitPorts & Pick<Cluster, 'createCheckPod' | 'prepareClaim'>;
}

/** Creates the Pod of a build if its Team allows it. */
export async function requestBuildPod(
  build: PendingBuild,
  ports: RequestBuildPodPorts,
): Promise<CreatePodAnswer> {
  const { pipelineId, id, attempt } = build;
  const needs = needsOfBuild(build.definition, build.job, build.defaultTimeoutSeconds);
  const work = { kind: 'build', user: { pipelineId, build: id, attempt }, owner: build, needs } as const;
  return await requestPod(work, ports, (pod) => ports.cluster.createBuildPod(build, pod));
}

/** Creates the Pod of a check run, of hooks or of notifications, if its Team allows it. */
export async function requestCheckPod(
  run: CheckRunFacts,
  ports: RequestCheckPodPorts,
): Promise<CreatePodAnswer> {
  const user = { pipelineId: run.pipelineId, run: run.run };
  const work = { kind: 'check', user, owner: run, needs: needsOfRun(run) } as const;
  return await requestPod(work, ports, (pod) => ports.cluster.createCheckPod(run, pod));
}

interface RequestedWork<Needs> extends Omit<CachesToTake, 'needs'> {
  kind: PodKind;
  needs: Needs;
}

/**
 * Checks the rules and the limit of the Team right before `create`, with no await in between, so that
 * concurrent requests cannot exceed the limit together. Also checks them before caches are taken, because a
 * refused Pod must not hold caches.
 */
async function requestPod<Needs extends PodNeeds>(
  { kind, user, owner, needs: { tags, caches: cacheNeeds, ...needs } }: RequestedWork<Needs>,
  ports: TakeCachesPorts & { cluster: AdmitPorts },
  create: (
    pod: Omit<Needs, 'tags' | 'caches'> & Pick<AdmittedPod, 'placement' | 'mounts' | 'caches'>,
  ) => Promise<CreatePodAnswer>,
): Promise<CreatePodAnswer> {
  const admitNow = (): PodAdmission =>
    admit(kind, { team: owner.team, tags, containers: needs.containers }, ports.cluster);
  const first = admitNow();
  if (first.answer === 'refused') return first;
  if (cacheNeeds.length === 0) return await create({ ...needs, caches: [], ...admittedWith(first) });
  const caches = await takeCaches({ user, owner, needs: cacheNeeds }, ports);
  const admission = admitNow();
  const answer =
    admission.answer === 'refused'
      ? admission
      : await create({ ...needs, caches, ...admittedWith(admission) });
  if (answer.answer === 'refused') await ports.caches.releaseCaches(user);
  return answer;
}

/**
 * The node selector of the build's Pod; undefined if the Pod would be refused, because there is no such Team,
 * or because the tags of the job conflict or are not allowed.
 */
export function nodeSelectorOf(
  { team: name, definition, job }: PendingBuild,
  cluster: Pick<Cluster, 'teamPods' | 'nodeLabel'>,
): NodeSelector | undefined {
  const team = cluster.teamPods(name);
  if (team === undefined) return undefined;
  const placement = placePod(tagsOfJob(definition, job), team.rules, (tag) => cluster.nodeLabel(tag));
  return isPlacementRefusal(placement) ? undefined : placement.nodeSelector;
}

function needsOfRun({ definition, checks, hooks, notifications }: CheckRunFacts): CheckPodNeeds {
  if (notifications !== undefined) return needsOfNotifications(definition, notifications);
  if (hooks !== undefined) return needsOfHooks(definition, hooks.resource);
  return needsOfChecks(
    definition,
    checks.map(({ resource }) => resource),
  );
}

function admit(
  kind: PodKind,
  pod: Pick<PodToAdmit, 'team' | 'tags' | 'containers'>,
  cluster: AdmitPorts,
): PodAdmission {
  const labelOf = (tag: string): string => cluster.nodeLabel(tag);
  const running = (): number | undefined => cluster.runningPods(pod.team, kind);
  return admitPod({ ...pod, kind, labelOf, running }, cluster.teamPods(pod.team));
}

const admittedWith = ({ placement, mounts }: PodAdmission & { answer: 'admitted' }) => ({
  placement,
  mounts,
});

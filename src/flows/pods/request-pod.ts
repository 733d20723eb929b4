import { admitPod, type PodAdmission, type PodKind } from '#domain/planning/admit-pod.ts';
import { isPlacementRefusal, placePod } from '#domain/planning/place-pod.ts';
import {
  needsOfBuild,
  needsOfChecks,
  needsOfHooks,
  tagsOfJob,
  type CheckPodNeeds,
} from '#domain/planning/pod-needs.ts';
import type { Cluster, CreatePodAnswer, NodeSelector } from './ports.ts';
import type { CheckRunFacts, PendingBuild } from './workloads.ts';

type AdmitPorts = Pick<Cluster, 'teamPods' | 'nodeLabel' | 'runningPods'>;
type RequestBuildPodPorts = AdmitPorts & Pick<Cluster, 'createBuildPod'>;
export type RequestCheckPodPorts = AdmitPorts & Pick<Cluster, 'createCheckPod'>;

/**
 * Creates the Pod of a build if its Team allows it. The limit is checked and the Pod requested without
 * waiting in between, so that concurrent requests count each other.
 */
export async function requestBuildPod(
  build: PendingBuild,
  cluster: RequestBuildPodPorts,
): Promise<CreatePodAnswer> {
  const { tags, ...needs } = needsOfBuild(build.definition, build.job);
  const admission = admit('build', { team: build.team, tags }, cluster);
  if (admission.answer === 'refused') return admission;
  return await cluster.createBuildPod(build, { ...needs, placement: admission.placement });
}

/** Creates the Pod of a check run or of hooks, likewise. */
export async function requestCheckPod(
  run: CheckRunFacts,
  cluster: RequestCheckPodPorts,
): Promise<CreatePodAnswer> {
  const { tags, ...needs } = needsOfRun(run);
  const admission = admit('check', { team: run.team, tags }, cluster);
  if (admission.answer === 'refused') return admission;
  return await cluster.createCheckPod(run, { ...needs, placement: admission.placement });
}

/** The node selector of the build's Pod; undefined if its Pod would be refused in any case. */
export function nodeSelectorOf(
  { team: name, definition, job }: PendingBuild,
  cluster: Pick<Cluster, 'teamPods' | 'nodeLabel'>,
): NodeSelector | undefined {
  const team = cluster.teamPods(name);
  if (team === undefined) return undefined;
  const placement = placePod(tagsOfJob(definition, job), team.rules, (tag) => cluster.nodeLabel(tag));
  return isPlacementRefusal(placement) ? undefined : placement.nodeSelector;
}

function needsOfRun({ definition, checks, hooks }: CheckRunFacts): CheckPodNeeds {
  if (hooks !== undefined) return needsOfHooks(definition, hooks.resource);
  return needsOfChecks(
    definition,
    checks.map(({ resource }) => resource),
  );
}

function admit(
  kind: PodKind,
  { team, tags }: { team: string; tags: string[] },
  cluster: AdmitPorts,
): PodAdmission {
  const labelOf = (tag: string): string => cluster.nodeLabel(tag);
  const running = (): number => cluster.runningPods(team, kind);
  return admitPod({ kind, team, tags, labelOf, running }, cluster.teamPods(team));
}

import { admitPod, type PodAdmission, type PodKind } from '#domain/planning/admit-pod.ts';
import { isMisplaced, placePod } from '#domain/planning/place-pod.ts';
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
 * Asks for the Pod of a build where its Team lets it run. Nothing waits between the limit and the request, so
 * that of several side by side each counts those before it.
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

/** The same for the checks or hooks of a run. */
export async function requestCheckPod(
  run: CheckRunFacts,
  cluster: RequestCheckPodPorts,
): Promise<CreatePodAnswer> {
  const { tags, ...needs } = needsOfRun(run);
  const admission = admit('check', { team: run.team, tags }, cluster);
  if (admission.answer === 'refused') return admission;
  return await cluster.createCheckPod(run, { ...needs, placement: admission.placement });
}

/** Of the Pod that a build would get; undefined where its Pod would be refused whatever else runs. */
export function nodeSelectorOf(
  { team: name, definition, job }: PendingBuild,
  cluster: Pick<Cluster, 'teamPods' | 'nodeLabel'>,
): NodeSelector | undefined {
  const team = cluster.teamPods(name);
  if (team === undefined) return undefined;
  const placement = placePod(tagsOfJob(definition, job), team.rules, (tag) => cluster.nodeLabel(tag));
  return isMisplaced(placement) ? undefined : placement.nodeSelector;
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

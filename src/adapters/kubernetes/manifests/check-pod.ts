import type { V1Pod } from '@kubernetes/client-node';
import { defined } from '#defined';
import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { MountedVolume } from '#domain/planning/mount-volumes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { Installation, OwnerObject, TeamRules } from './installation.ts';
import { ANNOTATION, LABEL, labelValue, MANAGED_BY } from './labels.ts';
import { checkPodName } from './names.ts';
import type { CacheVolume, ShimKeys } from './pod-work.ts';
import { pod } from './pod.ts';

export interface CheckWork {
  run: number;
  team: string;
  pipeline: string;
  pipelineId: number;
  resources: string[];
  /** What the resources' tags require of the node. */
  placement: Placement;
  mounts?: MountedVolume[];
  containers: PlanContainer[];
  /** Maximum run time. */
  deadlineSeconds: number;
  nonce: string;
  shim: ShimKeys;
  owner?: OwnerObject;
  caches?: CacheVolume[];
}

/** The Pod of a check run that the operator starts itself, or of a run of hooks or notifications. */
export function checkPod(work: CheckWork, team: TeamRules, installation: Installation): V1Pod {
  return pod(
    {
      name: checkPodName(work.pipeline, work.run),
      labels: { ...checkPodLabels(work), [LABEL.run]: String(work.run) },
      annotations: { [ANNOTATION.resources]: work.resources.join(',') },
      containers: work.containers,
      nonce: work.nonce,
      shim: work.shim,
      placement: work.placement,
      deadlineSeconds: work.deadlineSeconds,
      ...defined({ mounts: work.mounts, owner: work.owner, caches: work.caches }),
    },
    team,
    installation,
  );
}

export function checkPodLabels(work: {
  team: string;
  pipeline: string;
  pipelineId: number;
}): Record<string, string> {
  return {
    [MANAGED_BY]: 'millrace',
    [LABEL.kind]: 'check',
    [LABEL.team]: labelValue(work.team),
    [LABEL.pipeline]: labelValue(work.pipeline),
    [LABEL.pipelineId]: String(work.pipelineId),
  };
}

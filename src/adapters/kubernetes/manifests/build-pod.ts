import type { V1Pod } from '@kubernetes/client-node';
import { defined } from '#defined';
import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { MountedVolume } from '#domain/planning/mount-volumes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { Installation, OwnerObject, TeamRules } from './installation.ts';
import { ANNOTATION, LABEL, labelValue, MANAGED_BY } from './labels.ts';
import { buildPodName, type BuildAttempt } from './names.ts';
import type { CacheVolume, ShimKeys } from './pod-work.ts';
import { pod } from './pod.ts';

export interface BuildPodWork {
  build: BuildAttempt;
  containers: PlanContainer[];
  nonce: string;
  shim: ShimKeys;
  /** What the job's tags require of the node. */
  placement: Placement;
  mounts?: MountedVolume[];
  deadlineSeconds: number;
  owner?: OwnerObject;
  caches?: CacheVolume[];
}

/** The Pod of one attempt of a build. The same attempt always gives the same name. */
export function buildPod(work: BuildPodWork, team: TeamRules, installation: Installation): V1Pod {
  const { build } = work;
  return pod(
    {
      name: buildPodName(build),
      labels: {
        [MANAGED_BY]: 'millrace',
        [LABEL.kind]: 'build',
        [LABEL.team]: labelValue(build.team),
        [LABEL.pipeline]: labelValue(build.pipeline),
        [LABEL.job]: labelValue(build.job),
        [LABEL.build]: labelValue(build.number),
        [LABEL.buildId]: String(build.id),
        [LABEL.attempt]: String(build.attempt),
      },
      annotations: { [ANNOTATION.job]: build.job },
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

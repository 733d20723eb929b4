import type { V1Pod } from '@kubernetes/client-node';
import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { Installation, TeamRules } from './installation.ts';
import { LABEL, labelValue, MANAGED_BY } from './labels.ts';
import { warmPodName } from './names.ts';
import type { PodWork, ShimKeys } from './pod-work.ts';
import { pod, podSpec } from './pod.ts';

export interface WarmPodShape {
  containers: PlanContainer[];
  placement: Placement;
  /**
   * The deadline that a Pod of such a build would have. The deadline of the warm Pod also includes
   * `idleSeconds`.
   */
  deadlineSeconds: number;
}

export interface WarmPodWork extends WarmPodShape {
  id: number;
  team: string;
  nonce: string;
  shim: ShimKeys;
  /** How long the Pod may wait for a build. */
  idleSeconds: number;
}

/**
 * A Pod that waits for a build. It has no owner, so the operator deletes each sealed warm Pod that has no row
 * in the database. Nothing in the Pod names a pipeline, a job or a secret.
 */
export function warmPod(work: WarmPodWork, team: TeamRules, installation: Installation): V1Pod {
  const { id, idleSeconds, deadlineSeconds, ...shape } = work;
  const name = warmPodName(work.team, id);
  const labels = {
    [MANAGED_BY]: 'millrace',
    [LABEL.kind]: 'warm',
    [LABEL.team]: labelValue(work.team),
    [LABEL.warmPod]: String(id),
  };
  const deadline = idleSeconds + deadlineSeconds;
  return pod({ ...shape, name, labels, annotations: {}, deadlineSeconds: deadline }, team, installation);
}

/**
 * The shape of a warm Pod as a text: Pods of one namespace that differ only in name, labels, nonce, keys and
 * idle time have equal texts.
 */
export function shapeOfPod(shape: WarmPodShape, team: TeamRules, installation: Installation): string {
  const { containers, placement, deadlineSeconds } = shape;
  const bare: PodWork = {
    name: '',
    labels: {},
    annotations: {},
    containers,
    placement,
    deadlineSeconds,
    nonce: 'n',
    shim: { secret: '', keyOf: () => '' },
  };
  return JSON.stringify({ namespace: team.namespace, containers, spec: podSpec(bare, team, installation) });
}

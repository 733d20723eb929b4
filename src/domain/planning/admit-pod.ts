import {
  isPlacementRefusal,
  placePod,
  type Placement,
  type PlacementRefusal,
  type TagRules,
} from './place-pod.ts';

export type PodKind = 'build' | 'check';

/** The Team's rules for its Pods. */
export interface TeamPods {
  rules: TagRules;
  /** Pods of each kind at a time. Infinity: no limit. */
  limits: Record<PodKind, number>;
}

export interface PodToAdmit {
  kind: PodKind;
  /** Name of the team. */
  team: string;
  tags: readonly string[];
  labelOf(tag: string): string;
  /** Pods of the kind that the team has, including those being created. */
  running(): number;
}

export type PodAdmission =
  | { answer: 'admitted'; placement: Placement }
  | {
      answer: 'refused';
      reason: 'Forbidden' | 'TeamLimit' | PlacementRefusal['reason'];
      message: string;
    };

/** Where a Pod may run, or why it may not be created now. `team` undefined: no such Team is ready. */
export function admitPod(pod: PodToAdmit, team: TeamPods | undefined): PodAdmission {
  if (team === undefined) {
    return { answer: 'refused', reason: 'Forbidden', message: `There is no Team ${pod.team} that is ready.` };
  }
  const placement = placePod(pod.tags, team.rules, (tag) => pod.labelOf(tag));
  if (isPlacementRefusal(placement)) return { answer: 'refused', ...placement };
  const limit = team.limits[pod.kind];
  if (limit === Infinity) return { answer: 'admitted', placement };
  const running = pod.running();
  if (running < limit) return { answer: 'admitted', placement };
  const what = pod.kind === 'build' ? 'builds' : 'checks';
  const message = `Team ${pod.team} runs ${running} of ${limit} ${what} that it may run at a time.`;
  return { answer: 'refused', reason: 'TeamLimit', message };
}

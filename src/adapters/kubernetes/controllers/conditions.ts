/** A condition as Kubernetes keeps it. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

export type WantedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

const LONGEST_MESSAGE = 32_000;

/** The conditions to write: each keeps its time as long as its status stays. */
export function conditionsOf(
  wanted: WantedCondition[],
  before: Condition[] | undefined,
  generation: number,
  now: Date,
): Condition[] {
  return wanted.map((condition) => {
    const known = before?.find(({ type }) => type === condition.type);
    const kept = known?.status === condition.status ? known.lastTransitionTime : undefined;
    return {
      ...condition,
      message: bounded(condition.message),
      observedGeneration: generation,
      lastTransitionTime: kept ?? now.toISOString().replace(/\.\d+Z$/, 'Z'),
    };
  });
}

function bounded(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)} …`;
}

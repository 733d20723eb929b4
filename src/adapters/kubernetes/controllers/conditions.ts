/** A condition as Kubernetes keeps it. */
export interface StatusCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

export type WantedCondition = Pick<StatusCondition, 'type' | 'status' | 'reason' | 'message'>;

export function notReady(reason: string, message: string): WantedCondition {
  return { type: 'Ready', status: 'False', reason, message };
}

const LONGEST_MESSAGE = 32_000;

/**
 * The condition Ready, if it says True or False about this very generation. A new leader must not replace it
 * by "not known yet".
 */
export function readyVerdict(
  conditions: readonly StatusCondition[] | undefined,
  generation: number,
): WantedCondition | undefined {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'Unknown' || ready.observedGeneration !== generation)
    return undefined;
  const { type, status, reason, message } = ready;
  return { type, status, reason, message };
}

/** The conditions to write: each keeps its time as long as its status stays. */
export function conditionsOf(
  wanted: WantedCondition[],
  before: StatusCondition[] | undefined,
  generation: number,
  now: Date,
): StatusCondition[] {
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

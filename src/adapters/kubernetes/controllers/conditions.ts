/** A condition in the status of an object. */
export interface StatusCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** A condition without what `conditionsOf` adds: the generation, and when the status last changed. */
export type WantedCondition = Pick<StatusCondition, 'type' | 'status' | 'reason' | 'message'>;

export function notReady(reason: string, message: string): WantedCondition {
  return { type: 'Ready', status: 'False', reason, message };
}

const MAX_CHARACTERS = 32_000;

/** The condition Ready in the status, if it is True or False for this generation; otherwise undefined. */
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

/**
 * The conditions to write. `lastTransitionTime` changes only when the `status` of the condition changes.
 * `before` are the conditions that the object has.
 */
export function conditionsOf(
  conditions: WantedCondition[],
  before: StatusCondition[] | undefined,
  generation: number,
  now: Date,
): StatusCondition[] {
  return conditions.map((condition) => {
    const previous = before?.find(({ type }) => type === condition.type);
    const since = previous?.status === condition.status ? previous.lastTransitionTime : undefined;
    return {
      ...condition,
      message: bounded(condition.message),
      observedGeneration: generation,
      lastTransitionTime: since ?? now.toISOString().replace(/\.\d+Z$/, 'Z'),
    };
  });
}

function bounded(message: string): string {
  return message.length <= MAX_CHARACTERS ? message : `${message.slice(0, MAX_CHARACTERS)} …`;
}

/**
 * How many Pods a Team keeps ready at most, and how many seconds after its creation a Pod without a build is
 * deleted.
 */
export interface WarmSettings {
  pods: number;
  idleSeconds: number;
}

/**
 * A Pod that no build has taken. `shape`: key of the containers, nodes and volumes that it offers. `failed`:
 * the Pod is gone, and never became ready.
 */
export interface WarmPodState {
  id: number;
  shape: string;
  state: 'creating' | 'ready' | 'failed';
  createdAt: Date;
}

export interface WarmFacts {
  /** Absent: the Team keeps no Pods ready. */
  settings?: WarmSettings;
  /** How many more builds the team may run now. Infinity: no limit. */
  freeSlots: number;
  /** Builds that have their turn but no Pod yet. Their Pods come first. */
  waiting: number;
  /** The Pod of one of these builds was refused for lack of quota. */
  lacksQuota: boolean;
  /** Shapes of the jobs that may be built soon, the likeliest first. Each at most once. */
  likelyShapes: readonly string[];
  pods: readonly WarmPodState[];
  /**
   * Also create further Pods for shapes that have a Pod already. Absent while builds begin, so that such Pods
   * do not start at the same time.
   */
  refill?: boolean;
}

type RemovalReason = 'Off' | 'QuotaExceeded' | 'TeamLimit' | 'NotWanted' | 'Idle' | 'Forgotten';

export interface WarmDecision {
  /** The shape of each Pod to create. */
  create: string[];
  remove: { id: number; reason: RemovalReason }[];
  /**
   * Pods that did not become ready in time. No other Pod of their shape is created until `FAILED_SECONDS`
   * after their creation.
   */
  fail: { id: number; message: string }[];
}

/** A Pod that is not ready after this time counts as failed. */
export const MAX_CREATING_SECONDS = 180;
/** For this long after a failed Pod was created, no other Pod of its shape is created. */
export const FAILED_SECONDS = 300;

/**
 * Which Pods to create and delete, so that the likeliest builds find one. The number of Pods is limited by
 * the setting of the Team, and by how many more builds the team may run now. None is created while builds
 * wait for their own Pods.
 */
export function decideWarmPods(facts: WarmFacts, now: Date): WarmDecision {
  const judged = facts.pods.map((pod) => ({ pod, ...judgePod(pod, facts, now) }));
  const staying = judged.filter(({ reason, message }) => reason === undefined && message === undefined);
  const living = staying.map(({ pod }) => pod).filter(({ state }) => state !== 'failed');
  const limit = maxPods(facts);
  // Builds take the oldest Pod first, so the newest Pods are surplus.
  const surplus = living.toSorted((a, b) => a.id - b.id).slice(limit);
  const failed = new Set([
    ...staying.flatMap(({ pod }) => (pod.state === 'failed' ? [pod.shape] : [])),
    ...judged.flatMap(({ pod, message }) => (message === undefined ? [] : [pod.shape])),
  ]);
  return {
    create: facts.waiting > 0 ? [] : shapesToCreate(facts, living, { failed, count: limit - living.length }),
    remove: [
      ...judged.flatMap(({ pod, reason }) => (reason === undefined ? [] : [{ id: pod.id, reason }])),
      ...surplus.map(({ id }) => ({ id, reason: 'TeamLimit' as const })),
    ],
    fail: judged.flatMap(({ pod, message }) => (message === undefined ? [] : [{ id: pod.id, message }])),
  };
}

function maxPods({ settings, freeSlots, lacksQuota }: WarmFacts): number {
  return settings === undefined || lacksQuota ? 0 : Math.max(0, Math.min(settings.pods, freeSlots));
}

function judgePod(
  { state, shape, createdAt }: WarmPodState,
  { settings, lacksQuota, likelyShapes }: WarmFacts,
  now: Date,
): { reason?: RemovalReason; message?: string } {
  const age = (now.getTime() - createdAt.getTime()) / 1000;
  if (settings === undefined) return { reason: 'Off' };
  if (state === 'failed') return age >= FAILED_SECONDS ? { reason: 'Forgotten' } : {};
  if (lacksQuota) return { reason: 'QuotaExceeded' };
  if (!likelyShapes.includes(shape)) return { reason: 'NotWanted' };
  if (age >= settings.idleSeconds) return { reason: 'Idle' };
  if (state === 'creating' && age >= MAX_CREATING_SECONDS)
    return { message: `It was not ready after ${MAX_CREATING_SECONDS} s.` };
  return {};
}

/** First one Pod for each shape. Then, with `refill`, a second Pod for each shape, and so on. */
function shapesToCreate(
  { likelyShapes, refill = false }: WarmFacts,
  living: readonly WarmPodState[],
  { failed, count }: { failed: ReadonlySet<string>; count: number },
): string[] {
  const shapes = likelyShapes.filter((shape) => !failed.has(shape));
  const countByShape = new Map(
    shapes.map((shape) => [shape, living.filter((pod) => pod.shape === shape).length]),
  );
  const create: string[] = [];
  while (shapes.length > 0 && create.length < count) {
    const fewest = Math.min(...countByShape.values());
    if (fewest > 0 && !refill) break;
    const next = shapes.find((shape) => countByShape.get(shape) === fewest) ?? '';
    countByShape.set(next, fewest + 1);
    create.push(next);
  }
  return create;
}

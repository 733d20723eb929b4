/**
 * How many Pods may be starting at a time on each node, and what this was learned from. The leader has it in
 * memory: a new one starts anew.
 */
export interface StartPace {
  perNode: number;
  /** Milliseconds of the latest starts, the newest last. */
  recent: readonly number[];
  /** Medians of the starts before, so that "as fast as it has been" forgets. */
  medians: readonly number[];
  /** When a Pod of each team started quickly last. */
  quickAt: Readonly<Record<string, number>>;
  /** When the pace was halved last; starts that began before say nothing new. */
  halvedAt: number;
}

export interface StartSeen {
  /** Whose Pod it is: anything that tells teams apart. */
  team: string;
  /** Milliseconds on one clock: when its node got the Pod. */
  beganAt: number;
  seenAt: number;
  /** `slow` also for a Pod that has not started yet and has taken too long already. */
  running: boolean;
  /** Share of the window that was in use, 0 to 1 or more. */
  used: number;
}

/** Pods per node at the beginning. A node with fewer cores takes as many as it has cores. */
export const INITIAL_PER_NODE = 4;
export const MAX_PER_NODE = 32;
const MEDIAN_OF = 5;
/** As many medians are remembered. */
const MEDIANS = 20;
/**
 * A start is slow when it takes so many times, and so many milliseconds more, than the best recent median.
 */
const SLOW_FACTOR = 3;
const SLOW_MILLISECONDS = 3000;
/** What a start may take while no other is known. */
const EXPECTED_MILLISECONDS = 2000;
/** The window grows only when at least this share of it is in use: what was not tried proves nothing. */
const MIN_USED = 0.5;

export const INITIAL_PACE: StartPace = {
  perNode: INITIAL_PER_NODE,
  recent: [],
  medians: [],
  quickAt: {},
  halvedAt: -Infinity,
};

/** From when on a start is slow, in milliseconds. */
export function slowAfter({ medians }: StartPace): number {
  const best = medians.length === 0 ? EXPECTED_MILLISECONDS : Math.min(...medians);
  return Math.max(SLOW_FACTOR * best, best + SLOW_MILLISECONDS);
}

/**
 * Additive growth, halving: each start that is not slow adds one Pod per window and node, a slow one halves
 * the window. Starts that began before the last halving are ignored, so one overload halves once. One team's
 * Pods that cannot start halve nothing while those of others start quickly.
 */
export function paceStarts(pace: StartPace, seen: StartSeen): StartPace {
  const ms = seen.seenAt - seen.beganAt;
  const slow = ms > slowAfter(pace);
  if (!seen.running && !slow) return pace;
  const learned = seen.running ? remember(pace, ms) : pace;
  if (slow) return provesNothing(pace, seen) ? learned : halve(learned, seen.seenAt);
  const quickAt = { ...learned.quickAt, [seen.team]: seen.seenAt };
  if (seen.used < MIN_USED) return { ...learned, quickAt };
  return { ...learned, quickAt, perNode: Math.min(MAX_PER_NODE, learned.perNode + 1 / learned.perNode) };
}

/**
 * It began before the last halving, or another team's Pod started quickly meanwhile: then the nodes are not
 * to blame.
 */
function provesNothing({ halvedAt, quickAt }: StartPace, { team, beganAt }: StartSeen): boolean {
  if (beganAt < halvedAt) return true;
  return Object.entries(quickAt).some(([other, at]) => other !== team && at > beganAt);
}

/** The API server does not answer, or a start was slow. */
export function halve(pace: StartPace, now: number): StartPace {
  return { ...pace, perNode: Math.max(1, pace.perNode / 2), halvedAt: now, quickAt: {} };
}

function remember(pace: StartPace, ms: number): StartPace {
  const recent = [...pace.recent, ms];
  if (recent.length < MEDIAN_OF) return { ...pace, recent };
  const median = recent.toSorted((a, b) => a - b)[Math.floor(MEDIAN_OF / 2)] ?? ms;
  return { ...pace, recent: [], medians: [...pace.medians, median].slice(-MEDIANS) };
}

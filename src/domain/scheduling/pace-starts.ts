/**
 * How many Pods may be starting at a time on each node, and the observations behind it. The leader keeps the
 * pace in memory. A new leader begins with `INITIAL_PACE`.
 */
export interface StartPace {
  perNode: number;
  /** Durations of the latest starts in milliseconds, the newest last. */
  recent: readonly number[];
  /** Medians of earlier durations. Old medians drop out, so that the expected duration adapts. */
  medians: readonly number[];
  /** When a Pod of each team last started quickly, since the last halving. */
  quickAt: Readonly<Record<string, number>>;
  /** The last start of each team, if it was seen in the last `SHARED_MILLISECONDS`. */
  lastStarts: Readonly<Record<string, LastStart>>;
  /** When the pace was last halved. Starts that began earlier are ignored. */
  halvedAt: number;
}

interface LastStart {
  /** When a Pod was last seen to run, or to start slowly. */
  seenAt: number;
  /**
   * When the pause after the last Pod of a build that began to run ends. The pause is as long as the start of
   * this Pod took, but at most `MAX_PAUSE_MILLISECONDS`.
   */
  pauseUntil: number;
}

export interface ObservedStart {
  /** Any key that is unique to a team. */
  team: string;
  /** When the Pod got its node, in milliseconds since 1970. */
  beganAt: number;
  seenAt: number;
  /** False: the Pod is still starting. */
  running: boolean;
  /** The Pod is that of a build. Only such Pods cause a pause. */
  ofBuild: boolean;
  /** Share of the start window that was in use. May exceed 1. */
  used: number;
}

/** Pods per node at first. A node with fewer cores takes one per core. */
export const INITIAL_STARTS_PER_NODE = 4;
export const MAX_STARTS_PER_NODE = 32;
const SAMPLES_PER_MEDIAN = 5;
const MAX_MEDIANS = 20;
/**
 * A start is slow if it takes more than `SLOW_FACTOR` times the best recent median, and more than
 * `SLOW_MILLISECONDS` longer than that median.
 */
const SLOW_FACTOR = 3;
const SLOW_MILLISECONDS = 3000;
/** Assumed duration of a start before any was observed. */
const EXPECTED_MILLISECONDS = 2000;
/**
 * For this long after a Pod of a team has started, or has been slow to start, other teams leave it a slot.
 */
const SHARED_MILLISECONDS = 5 * 60_000;
/** The longest pause of a team after a start. */
const MAX_PAUSE_MILLISECONDS = 2000;
/** The window grows only if at least this share of it is in use. */
const MIN_USED = 0.5;

export const INITIAL_PACE: StartPace = {
  perNode: INITIAL_STARTS_PER_NODE,
  recent: [],
  medians: [],
  quickAt: {},
  lastStarts: {},
  halvedAt: -Infinity,
};

/** Milliseconds after which a start counts as slow. */
export function slowAfter({ medians }: StartPace): number {
  const best = medians.length === 0 ? EXPECTED_MILLISECONDS : Math.min(...medians);
  return Math.max(SLOW_FACTOR * best, best + SLOW_MILLISECONDS);
}

/**
 * Additive increase, multiplicative decrease, as in TCP. While at least half of the window is in use, each
 * quick start adds `1 / perNode` to `perNode`. A slow start halves the window. One overload halves the window
 * once. Slow starts of one team do not halve it while Pods of other teams start quickly.
 */
export function paceStarts(pace: StartPace, seen: ObservedStart): StartPace {
  const milliseconds = seen.seenAt - seen.beganAt;
  const isSlow = milliseconds > slowAfter(pace);
  if (!seen.running && !isSlow) return pace;
  const withSeen = withLastStart(pace, seen);
  const withDuration = seen.running ? withSample(withSeen, milliseconds) : withSeen;
  if (isSlow) return isInconclusive(pace, seen) ? withDuration : halvePace(withDuration, seen.seenAt);
  const quickAt = { ...withDuration.quickAt, [seen.team]: seen.seenAt };
  if (seen.used < MIN_USED) return { ...withDuration, quickAt };
  return {
    ...withDuration,
    quickAt,
    perNode: Math.min(MAX_STARTS_PER_NODE, withDuration.perNode + 1 / withDuration.perNode),
  };
}

/**
 * Whether a slow start says nothing about the nodes: it began before the last halving, or a Pod of another
 * team started quickly in the meantime.
 */
function isInconclusive({ halvedAt, quickAt }: StartPace, { team, beganAt }: ObservedStart): boolean {
  if (beganAt < halvedAt) return true;
  return Object.entries(quickAt).some(([other, at]) => other !== team && at > beganAt);
}

/** The pace after a slow start, or when the API server does not answer. */
export function halvePace(pace: StartPace, now: number): StartPace {
  return { ...pace, perNode: Math.max(1, pace.perNode / 2), halvedAt: now, quickAt: {} };
}

/**
 * How a team shares the nodes. `alone`: no other team has started Pods in the last minutes. `pausing`: other
 * teams have, and the pause after the last start of this team is not over (see `LastStart`).
 */
export type Sharing = 'alone' | 'shared' | 'pausing';

export function sharingOf(pace: Pick<StartPace, 'lastStarts'>, team: string, now: number): Sharing {
  const { [team]: own, ...others } = recentStarts(pace, now);
  if (Object.keys(others).length === 0) return 'alone';
  return now < (own?.pauseUntil ?? 0) ? 'pausing' : 'shared';
}

/** A Pod that does not run yet causes no pause: it may be stuck, and then the pause would never end. */
function withLastStart(pace: StartPace, seen: ObservedStart): StartPace {
  const { team, beganAt, seenAt, running, ofBuild } = seen;
  const recent = recentStarts(pace, seenAt);
  const pauseUntil =
    running && ofBuild
      ? seenAt + Math.min(seenAt - beganAt, MAX_PAUSE_MILLISECONDS)
      : (recent[team]?.pauseUntil ?? 0);
  return { ...pace, lastStarts: { ...recent, [team]: { seenAt, pauseUntil } } };
}

function recentStarts({ lastStarts }: Pick<StartPace, 'lastStarts'>, now: number): Record<string, LastStart> {
  return Object.fromEntries(
    Object.entries(lastStarts).filter(([, { seenAt }]) => now - seenAt < SHARED_MILLISECONDS),
  );
}

function withSample(pace: StartPace, milliseconds: number): StartPace {
  const recent = [...pace.recent, milliseconds];
  if (recent.length < SAMPLES_PER_MEDIAN) return { ...pace, recent };
  const median = recent.toSorted((a, b) => a - b)[Math.floor(SAMPLES_PER_MEDIAN / 2)] ?? milliseconds;
  return { ...pace, recent: [], medians: [...pace.medians, median].slice(-MAX_MEDIANS) };
}

/** One resource in one check run; times in milliseconds since the epoch. */
export interface Claim {
  scope: number;
  run: number;
  due: number;
  claimed: number;
  /** When its result was recorded; absent until then. */
  ended?: number;
}

/** Times in milliseconds. */
export interface ClaimSummary {
  /** Checks that were claimed in the period, whether or not they have ended. */
  checks: number;
  pods: number;
  /** Pods per second. */
  perSecond: number;
  resourcesPerPod: number;
  /** The largest number of Pods at one moment of the period, including Pods that were claimed before it. */
  maxPods: number;
  /** From when a check was due to its claim: the delay caused by the operator and its limits. */
  late: Spread;
  /** From when a check was due to its result, without the checks that have none. */
  known: Spread;
  /** From the claim of a run to its last result: how long its Pod counts towards the limit of Pods. */
  held: Spread;
}

export interface Spread {
  median: number;
  p90: number;
  max: number;
}

/** Summarises the checks that were claimed in the period. */
export function summariseClaims(all: readonly Claim[], from: number, to: number): ClaimSummary {
  const claims = all.filter(({ claimed }) => claimed >= from && claimed < to);
  const runs = [...Map.groupBy(claims, ({ run }) => run).values()].map(periodOf);
  return {
    checks: claims.length,
    pods: runs.length,
    perSecond: (runs.length * 1000) / (to - from),
    resourcesPerPod: claims.length / runs.length,
    maxPods: maxAtOnce([...Map.groupBy(all, ({ run }) => run).values()].map(periodOf), from, to),
    late: spreadOf(claims.map(({ due, claimed }) => claimed - due)),
    known: spreadOf(claims.flatMap(({ due, ended }) => (ended === undefined ? [] : [ended - due]))),
    held: spreadOf(runs.flatMap(({ startedAt, ended }) => (ended === undefined ? [] : [ended - startedAt]))),
  };
}

interface RunPeriod {
  startedAt: number;
  ended?: number;
}

function periodOf(claims: readonly Claim[]): RunPeriod {
  const startedAt = Math.min(...claims.map(({ claimed }) => claimed));
  const ends = claims.flatMap(({ ended }) => ended ?? []);
  return ends.length < claims.length ? { startedAt } : { startedAt, ended: Math.max(...ends) };
}

function maxAtOnce(periods: readonly RunPeriod[], from: number, to: number): number {
  const steps = periods
    .filter(({ startedAt, ended = Infinity }) => startedAt < to && ended > from)
    .flatMap(({ startedAt, ended = Infinity }) => [
      { at: startedAt, by: 1 },
      { at: ended, by: -1 },
    ])
    // A Pod that ends at the moment another Pod begins does not overlap with that Pod.
    .toSorted((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let max = 0;
  for (const { by } of steps) {
    now += by;
    max = Math.max(max, now);
  }
  return max;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const percentile = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: percentile(0.5), p90: percentile(0.9), max: percentile(1) };
}

/** Pods per second that a limit of simultaneous Pods allows, and how long a round over all groups takes. */
export function capacityOf(
  limit: number,
  groups: number,
  heldMs: number,
): { perSecond: number; roundMs: number } {
  return { perSecond: (limit * 1000) / heldMs, roundMs: (groups * heldMs) / limit };
}

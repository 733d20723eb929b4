/** One resource in one check run; times in milliseconds since the epoch. */
export interface Claim {
  scope: number;
  run: number;
  due: number;
  claimed: number;
  /** When its result was recorded; absent until then. */
  ended?: number;
}

export interface ClaimSummary {
  checks: number;
  pods: number;
  perSecond: number;
  /** Resources per Pod. */
  together: number;
  /** The largest number of Pods at one moment. */
  maxPods: number;
  /** From when a check was due to its claim: the delay caused by the operator and its limits. */
  late: Spread;
  /** From when a check was due to its result. */
  known: Spread;
  /** How long the Pod of a run counts towards the limit of Pods. */
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
  const runs = [...Map.groupBy(claims, ({ run }) => run).values()].map(lifeOf);
  return {
    checks: claims.length,
    pods: runs.length,
    perSecond: (runs.length * 1000) / (to - from),
    together: claims.length / runs.length,
    maxPods: maxAtOnce([...Map.groupBy(all, ({ run }) => run).values()].map(lifeOf), from, to),
    late: spreadOf(claims.map(({ due, claimed }) => claimed - due)),
    known: spreadOf(claims.flatMap(({ due, ended }) => (ended === undefined ? [] : [ended - due]))),
    held: spreadOf(runs.flatMap(({ startedAt, ended }) => (ended === undefined ? [] : [ended - startedAt]))),
  };
}

interface Life {
  startedAt: number;
  ended?: number;
}

function lifeOf(claims: readonly Claim[]): Life {
  const startedAt = Math.min(...claims.map(({ claimed }) => claimed));
  const ends = claims.flatMap(({ ended }) => ended ?? []);
  return ends.length < claims.length ? { startedAt } : { startedAt, ended: Math.max(...ends) };
}

function maxAtOnce(lives: readonly Life[], from: number, to: number): number {
  const steps = lives
    .filter(({ startedAt, ended = Infinity }) => startedAt < to && ended > from)
    .flatMap(({ startedAt, ended = Infinity }) => [
      { at: startedAt, by: 1 },
      { at: ended, by: -1 },
    ])
    // A Pod that ends at the moment another begins makes room for it.
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
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), p90: at(0.9), max: at(1) };
}

/** Pods per second that a limit of simultaneous Pods allows, and how long a round over all groups takes. */
export function capacityOf(
  limit: number,
  groups: number,
  heldMs: number,
): { perSecond: number; roundMs: number } {
  return { perSecond: (limit * 1000) / heldMs, roundMs: (groups * heldMs) / limit };
}

import type { TeamProjection } from '#adapters/kubernetes/informers/projections.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import type { WarmCount } from '#flows/pods/keep-warm-pods.ts';

/** `unknown`: this process neither refuses the Team now nor has announced it as ready. */
export type TeamState = 'ready' | 'refused' | 'unknown';

/*
 * What this process stores about Teams, by name, in addition to the informer's cache. Only this file changes
 * these states.
 *
 *                     ┌───────────refused───────────┐
 *                     │                             ▼
 *   first sight ─► unknown ◄─────accepted─────── refused
 *                     │                             ▲
 *                     └──ready──► ready ──refused───┘
 *
 * `ready` is announced to the Pipelines of the Team once for each object and generation, and again after a
 * refusal.
 */
export class TeamStates {
  /** The object and generation that were announced as ready. */
  readonly #announced = new Map<string, string>();
  readonly #refused = new Set<string>();
  /** Empty until the logs are counted. */
  #fills: ReadonlyMap<string, LogFill> = new Map();
  readonly #warm = new Map<string, WarmCount>();

  state(name: string): TeamState {
    if (this.#announced.has(name)) return 'ready';
    return this.#refused.has(name) ? 'refused' : 'unknown';
  }

  readyTeams(): Iterable<string> {
    return this.#announced.keys();
  }

  /** The Team is no longer refused, but its namespace has no informers yet. */
  accepted(name: string): void {
    this.#refused.delete(name);
  }

  /**
   * The namespace is prepared and watched, and the row is saved. Returns whether to notify the Team's
   * Pipelines.
   */
  ready({
    name,
    uid,
    generation,
  }: Pick<TeamProjection, 'name' | 'uid' | 'generation'>): 'announce' | 'announced' {
    const mark = `${uid} ${generation}`;
    if (this.#announced.get(name) === mark) return 'announced';
    this.#announced.set(name, mark);
    return 'announce';
  }

  refused(name: string): void {
    this.#announced.delete(name);
    this.#refused.add(name);
  }

  forget(name: string): void {
    this.#announced.delete(name);
    this.#refused.delete(name);
  }

  /** How full the logs of a Team are; undefined before they are counted. */
  fillOf(name: string): LogFill | undefined {
    return this.#fills.get(name);
  }

  /** The warm Pods of a Team. Undefined if it keeps none, or before they are counted. */
  warmOf(name: string): WarmCount | undefined {
    return this.#warm.get(name);
  }

  /** Returns the Teams whose counts changed. */
  warmPodsCounted(counts: readonly WarmCount[]): string[] {
    const before = new Map(this.#warm);
    this.#warm.clear();
    for (const count of counts) this.#warm.set(count.team, count);
    const names = new Set([...before.keys(), ...this.#warm.keys()]);
    return [...names].filter((name) => !isSame(before.get(name), this.#warm.get(name)));
  }

  /** Returns the Teams whose fill level changed. */
  logsCounted(fills: ReadonlyMap<string, LogFill>): string[] {
    const before = this.#fills;
    this.#fills = fills;
    return [...fills].filter(([name, fill]) => (before.get(name) ?? 'fine') !== fill).map(([name]) => name);
  }
}

function isSame(first: WarmCount | undefined, second: WarmCount | undefined): boolean {
  return first?.ready === second?.ready && first?.starting === second?.starting;
}

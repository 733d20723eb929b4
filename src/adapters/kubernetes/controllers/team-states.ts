import type { TeamProjection } from '#adapters/kubernetes/informers/projections.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';

/** `unknown`: this process has not looked at the Team yet. */
export type TeamState = 'ready' | 'refused' | 'unknown';

/*
 * What this process remembers of Teams beyond what it watches, by name. Only this file changes it.
 *
 *                     ┌───────────refused───────────┐
 *                     │                             ▼
 *   first sight ─► unknown ◄─────accepted─────── refused
 *                     │                             ▲
 *                     └──ready──► ready ──refused───┘
 *
 * `ready` is announced to the Pipelines of the Team, once for each object and generation.
 */
export class TeamStates {
  /** The object and generation that were announced as ready. */
  readonly #announced = new Map<string, string>();
  readonly #refused = new Set<string>();
  /** Absent: not counted yet. */
  #fills: ReadonlyMap<string, LogFill> = new Map();

  state(name: string): TeamState {
    if (this.#announced.has(name)) return 'ready';
    return this.#refused.has(name) ? 'refused' : 'unknown';
  }

  readyTeams(): Iterable<string> {
    return this.#announced.keys();
  }

  /** Nothing is wrong with it any more, but its namespace is not watched yet. */
  accepted(name: string): void {
    this.#refused.delete(name);
  }

  /**
   * The namespace is prepared and watched, and the row is saved. Answers whether its Pipelines have to hear
   * of it.
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

  /** How full the logs of a Team are; undefined until they are counted. */
  fillOf(name: string): LogFill | undefined {
    return this.#fills.get(name);
  }

  /** Answers the Teams whose logs are fuller or emptier than before. */
  logsCounted(fills: ReadonlyMap<string, LogFill>): string[] {
    const before = this.#fills;
    this.#fills = fills;
    return [...fills].filter(([name, fill]) => (before.get(name) ?? 'fine') !== fill).map(([name]) => name);
  }
}

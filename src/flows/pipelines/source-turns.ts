/**
 * Pipelines that fetch sources at a time, in the whole operator. Few, because each of them occupies a worker
 * of the queue.
 */
export const MAX_FETCHING_PIPELINES = 2;

/** Turns for fetching sources. A team has one turn at a time, so its slow hosts do not delay other teams. */
export class SourceTurns {
  readonly #teams = new Set<string>();

  /** Returns a function that ends the turn; undefined: the team has to wait. */
  take(team: string): (() => void) | undefined {
    if (this.#teams.size >= MAX_FETCHING_PIPELINES || this.#teams.has(team)) return undefined;
    this.#teams.add(team);
    return () => void this.#teams.delete(team);
  }
}

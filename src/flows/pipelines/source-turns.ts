/** Pipelines that fetch sources at a time, in the whole operator. A fetch uses a worker of the controller. */
export const MAX_FETCHING_PIPELINES = 2;

/**
 * Turns for fetching sources. Few pipelines have one at a time, and only one pipeline of each team, so that a
 * team's slow hosts do not delay other teams.
 */
export class SourceTurns {
  readonly #teams = new Set<string>();

  /** Returns a function that ends the turn; undefined: the team has to wait. */
  take(team: string): (() => void) | undefined {
    if (this.#teams.size >= MAX_FETCHING_PIPELINES || this.#teams.has(team)) return undefined;
    this.#teams.add(team);
    return () => void this.#teams.delete(team);
  }
}

/** Pipelines that fetch sources at a time, in the whole operator. A fetch uses a worker of the controller. */
export const MAX_FETCHING_PIPELINES = 2;

/**
 * Turns for fetching: few at a time and one pipeline of each team, so that a team's slow hosts delay nobody
 * else.
 */
export class SourceTurns {
  readonly #teams = new Set<string>();

  /** Returns how to end the turn; undefined: it is not this team's turn. */
  take(team: string): (() => void) | undefined {
    if (this.#teams.size >= MAX_FETCHING_PIPELINES || this.#teams.has(team)) return undefined;
    this.#teams.add(team);
    return () => void this.#teams.delete(team);
  }
}

/**
 * Pipelines whose sources are fetched at a time, in the whole operator. Fetching takes a worker that others
 * wait for.
 */
export const MAX_FETCHING_PIPELINES = 2;

/**
 * Who may fetch now: few at a time, and one pipeline of each team, so that slow hosts of one team hold up
 * nobody else.
 */
export class SourceTurns {
  readonly #teams = new Set<string>();

  /** Answers how to end the turn; undefined: it is not this team's turn. */
  take(team: string): (() => void) | undefined {
    if (this.#teams.size >= MAX_FETCHING_PIPELINES || this.#teams.has(team)) return undefined;
    this.#teams.add(team);
    return () => void this.#teams.delete(team);
  }
}

/**
 * Where builds wait for room, and where a Pod has ended meanwhile. A Pod that ends while builds are being
 * started is not forgotten: its room may have come just after it was asked for.
 */
export class Room {
  readonly #ended = new Set<string>();
  #short: ReadonlySet<string> = new Set();

  /** A Pod of a build has ended in this namespace. Answers whether builds wait for that. */
  ended(namespace: string): boolean {
    this.#ended.add(namespace);
    return this.#short.has(namespace);
  }

  /**
   * Starts builds with the namespaces where there may be room now. Answers whether there is reason to do it
   * once more at once.
   */
  async use(start: (room: string[]) => Promise<{ short: string[] }>): Promise<boolean> {
    const ended = [...this.#ended];
    this.#ended.clear();
    const room = ended.filter((namespace) => this.#short.has(namespace));
    try {
      const { short } = await start(room);
      const untouched = [...this.#short].filter((namespace) => !room.includes(namespace));
      this.#short = new Set([...untouched, ...short]);
    } catch (error) {
      for (const namespace of ended) this.#ended.add(namespace);
      throw error;
    }
    return [...this.#ended].some((namespace) => this.#short.has(namespace));
  }
}

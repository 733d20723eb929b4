/**
 * Namespaces where builds wait for room, and those where a Pod has ended since. A Pod may end while builds
 * are being started; the next start considers it too.
 */
export class Room {
  readonly #ended = new Set<string>();
  #short: ReadonlySet<string> = new Set();

  /** Records that a Pod of a build ended in this namespace. Returns whether builds wait for room there. */
  ended(namespace: string): boolean {
    this.#ended.add(namespace);
    return this.#short.has(namespace);
  }

  /** Starts builds, given the namespaces that may have room now. Returns whether to start again at once. */
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

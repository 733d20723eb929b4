/**
 * Namespaces in which builds wait because a quota or limit is reached. When a Pod ends in one of them, builds
 * may start there again. A Pod that ends while builds are being started counts for the next start.
 */
export class FullNamespaces {
  /** Namespaces in which a Pod has ended since the last start of builds. */
  readonly #withEndedPod = new Set<string>();
  #full: ReadonlySet<string> = new Set();

  /**
   * Records that a Pod of a build or a warm Pod ended in this namespace. Returns whether the namespace was
   * full.
   */
  podEnded(namespace: string): boolean {
    this.#withEndedPod.add(namespace);
    return this.#full.has(namespace);
  }

  /**
   * Calls `start` with the full namespaces in which a Pod has ended. Returns whether to call again at once,
   * because another Pod ended during the call.
   */
  async startBuilds(
    start: (freedNamespaces: string[]) => Promise<{ fullNamespaces: string[] }>,
  ): Promise<boolean> {
    const withEndedPod = [...this.#withEndedPod];
    this.#withEndedPod.clear();
    const freed = withEndedPod.filter((namespace) => this.#full.has(namespace));
    try {
      const { fullNamespaces } = await start(freed);
      const stillFull = [...this.#full].filter((namespace) => !freed.includes(namespace));
      this.#full = new Set([...stillFull, ...fullNamespaces]);
    } catch (error) {
      for (const namespace of withEndedPod) this.#withEndedPod.add(namespace);
      throw error;
    }
    return [...this.#withEndedPod].some((namespace) => this.#full.has(namespace));
  }
}

import type { PodFacts } from '#flows/pods/ports.ts';

/**
 * Deleted Pods that are not handled yet, as the watch last showed them. Several Pods can have had the same
 * name one after another, and each of them stays until it is handled.
 */
export class GonePods {
  readonly #byKey = new Map<string, PodFacts[]>();

  /** `key`: `namespace/name`. */
  add(key: string, pod: PodFacts): void {
    this.#byKey.set(key, [...this.of(key), pod]);
  }

  /** In the order of their deletions. */
  of(key: string): readonly PodFacts[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Forgets a Pod, because its deletion was handled. */
  handled(key: string, pod: PodFacts): void {
    const others = this.of(key).filter((other) => other !== pod);
    if (others.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, others);
  }
}

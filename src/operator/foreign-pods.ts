import type { PodFacts } from '#flows/pods/ports.ts';
import type { ForeignPods } from '#flows/pods/verify-pods.ts';

const MAX_PODS = 20_000;
/** A namespace is reported at most once in this time. */
const QUIET_MS = 60_000;
const MAX_NAMESPACES = 10_000;

/**
 * Remembers Pods that Millrace did not create, so that flows read the database only once for each of them.
 * Reports each namespace with such Pods at most once a minute.
 */
export class ForeignPodCache implements ForeignPods {
  readonly #report: (pod: PodFacts, message: string) => void;
  readonly #now: () => number;
  readonly #known = new Set<string>();
  readonly #reportedAt = new Map<string, number>();

  constructor(report: (pod: PodFacts, message: string) => void, now = () => performance.now()) {
    this.#report = report;
    this.#now = now;
  }

  has(pod: PodFacts): boolean {
    return this.#known.has(keyOf(pod));
  }

  add(pod: PodFacts, message: string): void {
    const [oldest] = this.#known;
    if (this.#known.size >= MAX_PODS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(keyOf(pod));
    const now = this.#now();
    if (now - (this.#reportedAt.get(pod.namespace) ?? -Infinity) < QUIET_MS) return;
    if (this.#reportedAt.size >= MAX_NAMESPACES) this.#reportedAt.clear();
    this.#reportedAt.set(pod.namespace, now);
    this.#report(pod, message);
  }
}

/** Includes the work that the labels name: after a change of its labels, a Pod has another key. */
function keyOf({ uid, work }: PodFacts): string {
  return `${uid} ${JSON.stringify(work)}`;
}

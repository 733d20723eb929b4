import type { ForeignPods } from '#flows/pods/own-pods.ts';
import type { PodFacts } from '#flows/pods/ports.ts';

const MAX_REMEMBERED = 20_000;
const QUIET_MS = 60_000;
const MAX_NAMESPACES = 10_000;

/** Pods of somebody else: each is looked up once, and of each namespace at most one a minute is told. */
export class RememberedForeignPods implements ForeignPods {
  readonly #tell: (pod: PodFacts, message: string) => void;
  readonly #now: () => number;
  readonly #known = new Set<string>();
  readonly #toldAt = new Map<string, number>();

  constructor(tell: (pod: PodFacts, message: string) => void, now = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  has(pod: PodFacts): boolean {
    return this.#known.has(keyOf(pod));
  }

  add(pod: PodFacts, message: string): void {
    const [oldest] = this.#known;
    if (this.#known.size >= MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(keyOf(pod));
    const now = this.#now();
    if (now - (this.#toldAt.get(pod.namespace) ?? -Infinity) < QUIET_MS) return;
    if (this.#toldAt.size >= MAX_NAMESPACES) this.#toldAt.clear();
    this.#toldAt.set(pod.namespace, now);
    this.#tell(pod, message);
  }
}

/** With other labels it says that it is for other work, which has to be looked up. */
function keyOf({ uid, work }: PodFacts): string {
  return `${uid} ${JSON.stringify(work)}`;
}

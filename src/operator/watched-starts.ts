import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import type { SeenStart } from '#domain/build/start-times.ts';
import type { PodFacts } from '#flows/pods/ports.ts';

/**
 * When this process saw each Pod of Millrace get its node, and when it saw the last container of the Pod
 * start. Only a change that the watch shows gives a time, so a Pod that had started before the watch has no
 * times.
 */
export class WatchedStarts {
  readonly #seen = new Map<string, SeenStart>();
  readonly #now: () => Date;

  constructor(now = () => new Date()) {
    this.#now = now;
  }

  changed(change: ObjectChange<PodProjection>): void {
    const { uid, facts } = change.object;
    if (change.type === 'deleted') this.#seen.delete(uid);
    if (change.type !== 'updated' || facts?.sealed !== true) return;
    const before = change.previous.facts;
    if (before === undefined) return;
    if (!before.scheduled && facts.scheduled) this.#add(uid, { scheduledAt: this.#now() });
    if (!hasStarted(before) && hasStarted(facts)) this.#add(uid, { containersStartedAt: this.#now() });
  }

  of(uid: string): SeenStart {
    return this.#seen.get(uid) ?? {};
  }

  #add(uid: string, seen: SeenStart): void {
    this.#seen.set(uid, { ...this.of(uid), ...seen });
  }
}

function hasStarted({ containers }: PodFacts): boolean {
  return containers.every(({ state }) => state !== 'waiting');
}

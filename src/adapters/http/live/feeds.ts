import type { Bell, BellTopic } from '#flows/ports.ts';
import type { EventStream } from './event-stream.ts';

/** What readers of one thing share. `A`: from where a reader goes on. */
export interface Feed<A> {
  readonly empty: boolean;
  add(stream: EventStream, after: A): () => void;
  /** Something may have changed. */
  ring(): void;
  stop(): void;
}

interface Ids {
  build?: number;
  pipeline: number;
}

interface Known<A> {
  feed: Feed<A>;
  ids: Ids;
}

/** The feeds that somebody reads, by what they are of. One listener hears for all of them; what it misses is looked for now and then. */
export class Feeds<A> {
  readonly #known = new Map<string, Known<A>>();
  readonly #listen: Bell['listen'];
  #stopListening: (() => void) | undefined;

  constructor(listen: Bell['listen']) {
    this.#listen = listen;
  }

  /** The feed of that key, made when it is the first reader's. The answer ends the reading. */
  read({ key, ids, make }: { key: string; ids: Ids; make: () => Feed<A> }, stream: EventStream, after: A) {
    this.#stopListening ??= this.#listen(TOPICS, (topic, id) => this.#heard(topic, id));
    const known = this.#known.get(key) ?? { feed: make(), ids };
    this.#known.set(key, known);
    const leave = known.feed.add(stream, after);
    return (): void => {
      leave();
      if (!known.feed.empty) return;
      known.feed.stop();
      if (this.#known.get(key) === known) this.#known.delete(key);
    };
  }

  ringAll(): void {
    for (const { feed } of this.#known.values()) feed.ring();
  }

  stop(): void {
    this.#stopListening?.();
    for (const { feed } of this.#known.values()) feed.stop();
    this.#known.clear();
  }

  /** Id 0: the line was lost meanwhile. */
  #heard(topic: BellTopic, id: number): void {
    for (const { feed, ids } of this.#known.values()) {
      if (id === 0 || (topic === 'progress' ? ids.build : ids.pipeline) === id) feed.ring();
    }
  }
}

const TOPICS: BellTopic[] = ['progress', 'status'];

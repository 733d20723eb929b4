import type { ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';

/** The object that an Event is about. */
export interface Regarding {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

export interface EventNote {
  type: 'Normal' | 'Warning';
  /** CamelCase: what happened. */
  reason: string;
  /** CamelCase: what was being done. */
  action: string;
  note: string;
}

/** A written Event, to which the recorder adds equal notes. `lastAt` is in milliseconds since the epoch. */
interface Series {
  name: string;
  namespace: string;
  count: number;
  lastAt: number;
}

export interface RecorderOptions {
  client: Pick<ApiClient, 'create' | 'patchMerge'>;
  /** Name of this replica, for the field `reportingInstance`. */
  instance: string;
  onProblem(problem: ApiProblem): void;
}

const CONTROLLER = 'millrace.dev/operator';
/** An equal note after a longer pause than this is a new Event. */
const MAX_SERIES_PAUSE_MS = 6 * 60_000;
const MAX_NOTE_CHARACTERS = 1024;
const MAX_SERIES = 1000;
const MAX_WAITING_EVENTS = 1000;

/**
 * Writes Events one after another, in the background. Equal notes on an object with pauses of less than six
 * minutes are usually one Event with a count. Events are lost if the API server does not answer or refuses
 * them, or if too many wait. The conditions of the objects do not depend on Events.
 */
export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #series = new Map<string, Series>();
  #waiting: { regarding: Regarding; event: EventNote }[] = [];
  #writing: Promise<void> | undefined;
  /** Counts the Events of this process, so that their names are unique. */
  #count = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Queues the Event. Drops it if too many wait already. */
  record(regarding: Regarding, event: EventNote): void {
    if (this.#waiting.length >= MAX_WAITING_EVENTS) return;
    this.#waiting.push({ regarding, event });
    this.#writing ??= this.#write();
  }

  /** Resolves when all recorded Events are written or lost. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /**
   * Between the last `shift` and the reset of `#writing` there is no `await`. So `record` never adds an Event
   * for a writer that has ended, and instead starts a new one.
   */
  async #write(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        await this.#writeEvent(next.regarding, next.event);
      }
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeEvent(regarding: Regarding, event: EventNote): Promise<void> {
    const key = [regarding.uid, event.type, event.reason, event.note].join('\n');
    const now = new Date();
    const current = this.#series.get(key);
    if (current !== undefined && now.getTime() - current.lastAt < MAX_SERIES_PAUSE_MS) {
      current.count += 1;
      current.lastAt = now.getTime();
      const series = { count: current.count, lastObservedTime: microTime(now) };
      const answer = await this.#options.client.patchMerge(KINDS.events, current, { series });
      if (answer.ok) return;
      this.#series.delete(key);
    }
    await this.#create(key, regarding, event, now);
  }

  async #create(key: string, regarding: Regarding, event: EventNote, now: Date): Promise<void> {
    this.#count += 1;
    const namespace = regarding.namespace === '' ? 'default' : regarding.namespace;
    const name = `${regarding.name}.${now.getTime().toString(16)}${this.#count.toString(16).padStart(4, '0')}`;
    const { instance } = this.#options;
    const answer = await this.#options.client.create(KINDS.events, {
      apiVersion: KINDS.events.apiVersion,
      kind: KINDS.events.kind,
      metadata: { name, namespace },
      eventTime: microTime(now),
      reportingController: CONTROLLER,
      reportingInstance: instance.slice(0, 128),
      type: event.type,
      reason: event.reason,
      action: event.action,
      note: event.note.slice(0, MAX_NOTE_CHARACTERS),
      regarding: {
        apiVersion: regarding.apiVersion,
        kind: regarding.kind,
        name: regarding.name,
        uid: regarding.uid,
        ...(regarding.namespace === '' ? {} : { namespace: regarding.namespace }),
      },
    });
    if (!answer.ok) return this.#options.onProblem(answer);
    if (this.#series.size >= MAX_SERIES) this.#series.clear();
    this.#series.set(key, { name, namespace, count: 1, lastAt: now.getTime() });
  }
}

function microTime(date: Date): string {
  return date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

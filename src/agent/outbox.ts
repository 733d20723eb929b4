import type { EventsResponse } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { SessionOver } from './gateway-client.ts';
import { gatewayBackOff, isFinal, pauseFor } from './retry.ts';
import type { Spool } from './spool.ts';

const BATCH_BYTES = 512 * 1024;
/** The gateway takes bodies of this length even when it has no memory for longer ones. */
const MIN_BATCH_BYTES = 32 * 1024;
/** An event waits this long for further events, so that one request sends them together. */
const LINGER_MS = 10;

/** The text before and after the events in the body of a request. */
const BODY = { start: '{"events":[', end: ']}' };

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence' | 'at'> : never;
/** An event before it gets its number and time. */
export type NewEvent = Unnumbered<BuildEvent>;

export interface OutboxLinks {
  /** `body` is valid until the promise is settled. */
  send: (body: Buffer) => Promise<EventsResponse>;
  /** The build is being cancelled. */
  onCancel: () => void;
  /** The gateway does not accept the session of this agent any more. */
  onOver: () => void;
  /** The gateway refuses the events for good. */
  onRefused: () => void;
}

/** The time now, for an event. The times of events never jump, even if the clock of the node does. */
function steadyTime(): string {
  return new Date(performance.timeOrigin + performance.now()).toISOString();
}

/** Numbers events and sends them in order until each is acknowledged, also after outages of the gateway. */
export class Outbox {
  readonly #links: OutboxLinks;
  readonly #spool: Spool;
  #lastSequence = 0;
  #acknowledged = 0;
  #droppedCharacters = 0;
  #waiters: { sequence: number; resolve: () => void; reject: (error: Error) => void }[] = [];
  /** Set while events wait to be sent together. */
  #linger: NodeJS.Timeout | undefined;
  #isSending = false;
  #batchBytes = BATCH_BYTES;
  #giveUpReason: Error | undefined;
  readonly #givenUp = new AbortController();

  constructor(links: OutboxLinks, spool: Spool) {
    this.#links = links;
    this.#spool = spool;
  }

  get acknowledgedUpTo(): number {
    return this.#acknowledged;
  }

  /**
   * Adds an event, and sends it without delay if `now` is true. Returns its sequence number, or 0 if the
   * event was dropped because the spool is full.
   */
  add(event: NewEvent, now = false): number {
    if (event.type === 'log') {
      const size = event.text.length;
      const text =
        this.#droppedCharacters > 0
          ? `\n[${this.#droppedCharacters} characters lost: the gateway was unreachable]\n${event.text}`
          : event.text;
      if (!this.#put({ ...event, text })) {
        this.#droppedCharacters += size;
        return 0;
      }
      this.#droppedCharacters = 0;
    } else {
      this.#put(event);
    }
    if (now) this.#wake(0);
    else this.#wake(LINGER_MS);
    return this.#lastSequence;
  }

  /** Sends waiting events without delay. Returns the last sequence number. */
  flush(): number {
    this.#wake(0);
    return this.#lastSequence;
  }

  /** Resolves when the gateway has stored all events up to this number. Rejects when the outbox gives up. */
  whenAcknowledged(sequence: number): Promise<void> {
    if (sequence <= this.#acknowledged) return Promise.resolve();
    if (this.#giveUpReason) return Promise.reject(this.#giveUpReason);
    return new Promise((resolve, reject) => this.#waiters.push({ sequence, resolve, reject }));
  }

  /** Stops sending and rejects all waiters. */
  giveUp(reason: Error): void {
    this.#giveUpReason ??= reason;
    clearTimeout(this.#linger);
    this.#givenUp.abort();
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(this.#giveUpReason);
  }

  #put(event: NewEvent): boolean {
    const json = JSON.stringify({ sequence: this.#lastSequence + 1, at: steadyTime(), ...event });
    if (!this.#spool.add(this.#lastSequence + 1, json, event.type !== 'log')) return false;
    this.#lastSequence += 1;
    return true;
  }

  #wake(delay: number): void {
    if (this.#isSending || this.#giveUpReason) return;
    if (delay > 0 && this.#linger !== undefined) return;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => void this.#sendAll(), delay);
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    this.#linger = undefined;
    const backOff = gatewayBackOff();
    while (!this.#spool.empty && !this.#giveUpReason) {
      if (await this.#sendOnce()) {
        backOff.reset();
        this.#batchBytes = BATCH_BYTES;
      } else {
        this.#batchBytes = Math.max(this.#batchBytes / 2, MIN_BATCH_BYTES);
        await pauseFor(backOff.next(), this.#givenUp.signal);
      }
    }
    this.#isSending = false;
  }

  /** Sends one batch. Returns whether the gateway acknowledged new events. */
  async #sendOnce(): Promise<boolean> {
    // Outside of the try: an agent that cannot read its spool must end, and not try for ever.
    const body = this.#spool.first(this.#batchBytes, BODY);
    try {
      const answer = await this.#links.send(body);
      if (answer.cancel === true) this.#links.onCancel();
      return this.#dropAcknowledged(answer.acknowledged);
    } catch (error) {
      if (Error.isError(error) && isFinal(error)) {
        this.giveUp(error);
        if (error instanceof SessionOver) this.#links.onOver();
        else this.#links.onRefused();
      }
      return false;
    }
  }

  /** Returns whether the number is new. */
  #dropAcknowledged(acknowledged: number): boolean {
    if (!Number.isSafeInteger(acknowledged) || acknowledged <= this.#acknowledged) return false;
    this.#acknowledged = Math.min(acknowledged, this.#lastSequence);
    this.#spool.dropUpTo(this.#acknowledged);
    const done = this.#waiters.filter((waiter) => waiter.sequence <= this.#acknowledged);
    this.#waiters = this.#waiters.filter((waiter) => waiter.sequence > this.#acknowledged);
    for (const waiter of done) waiter.resolve();
    return true;
  }
}

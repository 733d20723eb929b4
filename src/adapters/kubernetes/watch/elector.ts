import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import {
  leaseSeconds,
  LOOK_EVERY_MS,
  MIN_LEASE_SECONDS,
  RENEW_EVERY_MS,
  renewDeadlineMs,
  withInterval,
} from './lease-terms.ts';

/** What a Lease says of who leads. */
export interface LeaseRecord {
  holder: string;
  leaseSeconds: number;
  acquireTime: string;
  renewTime: string;
  transitions: number;
}

/** A record as read, with the version that a write must name. */
export interface VersionedRecord {
  record: LeaseRecord;
  version: string;
}

/** The Lease object; a write that meets another one fails with a conflict. */
export interface LeaseAccess {
  read(): Promise<ApiAnswer<VersionedRecord | undefined>>;
  create(record: LeaseRecord): Promise<ApiAnswer<VersionedRecord>>;
  update(record: LeaseRecord, version: string): Promise<ApiAnswer<VersionedRecord>>;
}

/**
 * Time as the elector sees it: a steady clock for waiting, wall time only for what people read in the Lease.
 */
export interface ElectorClock {
  now(): number;
  wallTime(): Date;
  /** Fulfilled after the time, or at once when the signal is given. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ElectorOptions {
  identity: string;
  lease: LeaseAccess;
  clock: ElectorClock;
  random?: () => number;
  onProblem(message: string): void;
}

/**
 * Leader election by client-go's rules: another's lease is over when its record has not changed for its whole
 * duration by our own clock, never by comparing clocks. The leader stops leading before others may take over.
 * Beyond client-go, the duration follows how regularly the leader renews (`lease-terms.ts`). A lease is no
 * fence: the epoch in the database is.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #random: () => number;
  #observed: VersionedRecord | undefined;
  #observedAt = -Infinity;
  /** When the last write that made or kept the lease ours was sent: others count from a later moment. */
  #renewedAt = -Infinity;
  /** Milliseconds between our renewals. */
  #intervals: number[] = [];

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** Who holds the lease as far as is known. */
  get holder(): string {
    return this.#observed?.record.holder ?? '';
  }

  /** Returns true once we lead, false when the signal was given before. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const sentAt = clock.now();
      if (await this.#tryToHold()) {
        this.#renewedAt = sentAt;
        return true;
      }
      await clock.sleep(LOOK_EVERY_MS * (1 + 0.2 * this.#random()), signal);
    }
    return false;
  }

  /**
   * Renews until the lead is lost or the signal is given; then the lease is given back if it is still ours.
   */
  async hold(signal: AbortSignal): Promise<'lost' | 'released'> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(RENEW_EVERY_MS, signal);
      if (signal.aborted) break;
      const sentAt = clock.now();
      if (await this.#withinDeadline()) {
        this.#intervals = withInterval(this.#intervals, sentAt - this.#renewedAt);
        this.#renewedAt = sentAt;
      } else if (this.#lost()) return 'lost';
    }
    await this.#release();
    return 'released';
  }

  #lost(): boolean {
    const { clock, identity } = this.#options;
    return this.holder !== identity || clock.now() - this.#renewedAt >= this.#deadlineMs();
  }

  /** By the duration that others read in the Lease, not by the one that the next renewal will write. */
  #deadlineMs(): number {
    return renewDeadlineMs(this.#observed?.record.leaseSeconds ?? MIN_LEASE_SECONDS);
  }

  /** A request that hangs must not make us believe that we still lead. */
  async #withinDeadline(): Promise<boolean> {
    const { clock } = this.#options;
    const left = Math.max(0, this.#deadlineMs() - (clock.now() - this.#renewedAt));
    const tried = new AbortController();
    const late = clock.sleep(left, tried.signal).then(() => false);
    const held = await Promise.race([this.#tryToHold(), late]);
    tried.abort();
    return held;
  }

  async #tryToHold(): Promise<boolean> {
    const { lease } = this.#options;
    const answer = await lease.read();
    if (!answer.ok) return this.#failed('read', answer.message);
    if (answer.value === undefined) return this.#write(await lease.create(this.#ours(undefined)));
    this.#observe(answer.value);
    const { record, version } = answer.value;
    if (record.holder !== '' && record.holder !== this.#options.identity && !this.#expired(record))
      return false;
    return this.#write(await lease.update(this.#ours(record), version));
  }

  #write(answer: ApiAnswer<VersionedRecord>): boolean {
    if (!answer.ok) return this.#failed('write', answer.message);
    this.#observe(answer.value);
    return true;
  }

  #failed(doing: string, message: string): boolean {
    this.#options.onProblem(`The Lease could not be ${doing === 'read' ? 'read' : 'written'}: ${message}`);
    return false;
  }

  #observe(seen: VersionedRecord): void {
    if (this.#observed?.version === seen.version) return;
    this.#observed = seen;
    this.#observedAt = this.#options.clock.now();
  }

  #expired(record: LeaseRecord): boolean {
    return this.#options.clock.now() - this.#observedAt >= record.leaseSeconds * 1000;
  }

  #ours(before: LeaseRecord | undefined): LeaseRecord {
    const { identity, clock } = this.#options;
    const now = microTime(clock.wallTime());
    const kept = before?.holder === identity;
    const soFar = Number.isFinite(this.#renewedAt) ? clock.now() - this.#renewedAt : 0;
    return {
      holder: identity,
      leaseSeconds: leaseSeconds([...this.#intervals, soFar]),
      acquireTime: kept ? before.acquireTime : now,
      renewTime: now,
      transitions: before === undefined || kept ? (before?.transitions ?? 0) : before.transitions + 1,
    };
  }

  async #release(): Promise<void> {
    const { lease, identity, clock } = this.#options;
    if (this.#observed?.record.holder !== identity) return;
    const now = microTime(clock.wallTime());
    const free = { ...this.#observed.record, holder: '', leaseSeconds: 1, renewTime: now, acquireTime: now };
    const answer = await lease.update(free, this.#observed.version);
    if (!answer.ok) this.#failed('write', answer.message);
  }
}

/** Kubernetes reads exactly six digits of a second. */
function microTime(date: Date): string {
  return date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

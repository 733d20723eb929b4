import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import {
  COUNT_EVERY_MS,
  leaseSeconds,
  LOOK_EVERY_MS,
  MIN_LEASE_SECONDS,
  RENEW_EVERY_MS,
  renewDeadlineMs,
  STANDSTILL_MS,
  withInterval,
} from './lease-terms.ts';

/** The spec of a Lease. */
export interface LeaseRecord {
  holder: string;
  leaseSeconds: number;
  acquireTime: string;
  renewTime: string;
  transitions: number;
}

/** A record, and the resource version for an update. */
export interface VersionedRecord {
  record: LeaseRecord;
  version: string;
}

/** Reads and writes the Lease. An update of another version fails with a conflict. */
export interface LeaseAccess {
  read(): Promise<ApiAnswer<VersionedRecord | undefined>>;
  create(record: LeaseRecord): Promise<ApiAnswer<VersionedRecord>>;
  update(record: LeaseRecord, version: string): Promise<ApiAnswer<VersionedRecord>>;
}

/** A monotonic clock for waiting. Wall time is only for display in the Lease. */
export interface ElectorClock {
  now(): number;
  wallTime(): Date;
  /** Resolves after the time, or when the signal aborts. */
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
 * Leader election by the rules of client-go. A lease has expired if its record has not changed for its
 * duration, measured by the clock of this process. The leader stops before other replicas may take over. In
 * addition to client-go, the duration adapts to how regularly the leader renews (`lease-terms.ts`), and a
 * leader whose process stood still asks the API server before it gives up: it still leads unless another
 * replica has taken over meanwhile. The lease stops no writes of a former leader; the leader epoch in the
 * database does.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #random: () => number;
  #observed: VersionedRecord | undefined;
  #observedAt = -Infinity;
  /** When this process sent its last successful write. Other replicas measure from a later time. */
  #renewedAt = -Infinity;
  /** Milliseconds since the last renewal, without a standstill of this process. */
  #ranMs = 0;
  /** Whether this process stood still since the last renewal. */
  #stoodStill = false;
  /**
   * This process leads or has led. From then on, it takes no Lease without a holder: another replica may have
   * led meanwhile and released the Lease.
   */
  #leads = false;
  /** Milliseconds between the renewals of this process. */
  #intervals: number[] = [];

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** The identity of the holder, as last read. */
  get holder(): string {
    return this.#observed?.record.holder ?? '';
  }

  /** Returns true when this process leads, false if the signal aborts first. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const sentAt = clock.now();
      if (await this.#tryToHold()) {
        this.#renewedAt = sentAt;
        this.#leads = true;
        return true;
      }
      await clock.sleep(LOOK_EVERY_MS * (1 + 0.2 * this.#random()), signal);
    }
    return false;
  }

  /** Renews until the lease is lost or the signal aborts. In the second case, releases the lease. */
  async hold(signal: AbortSignal): Promise<'lost' | 'released'> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#wait(RENEW_EVERY_MS, signal);
      if (signal.aborted) break;
      const sentAt = clock.now();
      if (await this.#renewWithinDeadline()) {
        this.#intervals = withInterval(this.#intervals, sentAt - this.#renewedAt);
        this.#renewedAt = sentAt;
        this.#ranMs = 0;
        this.#stoodStill = false;
      } else if (this.#isLost()) return 'lost';
    }
    await this.#release();
    return 'released';
  }

  #isLost(): boolean {
    return this.holder !== this.#options.identity || this.#ranMs >= this.#deadlineMs();
  }

  /**
   * Waits for this time. While this process stands still (no processor, a long task), a sleep takes longer,
   * and answers that arrive meanwhile are read only afterwards. One standstill between two renewals does not
   * count, so that the leader can then ask the API server whether it still leads.
   */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let left = ms; left > 0 && !signal.aborted;) {
      const slice = Math.min(left, COUNT_EVERY_MS);
      const from = clock.now();
      await clock.sleep(slice, signal);
      const counted = this.#timeThatCounts(slice, clock.now() - from);
      this.#ranMs += counted;
      left -= counted;
    }
  }

  #timeThatCounts(slice: number, elapsed: number): number {
    if (this.#stoodStill || elapsed < slice + STANDSTILL_MS) return elapsed;
    this.#stoodStill = true;
    return slice;
  }

  /** Uses the duration that other replicas read in the Lease, not that of the next renewal. */
  #deadlineMs(): number {
    return renewDeadlineMs(this.#observed?.record.leaseSeconds ?? MIN_LEASE_SECONDS);
  }

  /** Renews the lease until the deadline: a request that hangs must not extend the time of this leader. */
  async #renewWithinDeadline(): Promise<boolean> {
    const stopWaiting = new AbortController();
    const deadline = this.#wait(this.#deadlineMs() - this.#ranMs, stopWaiting.signal).then(() => false);
    const isHeld = await Promise.race([this.#tryToHold(), deadline]);
    stopWaiting.abort();
    await deadline;
    return isHeld;
  }

  async #tryToHold(): Promise<boolean> {
    const { lease } = this.#options;
    const answer = await lease.read();
    if (!answer.ok) return this.#failed('read', answer.message);
    if (answer.value === undefined) return this.#write(await lease.create(this.#ownRecord(undefined)));
    this.#observe(answer.value);
    const { record, version } = answer.value;
    if (record.holder !== this.#options.identity && (this.#leads || !this.#isFree(record))) return false;
    return this.#write(await lease.update(this.#ownRecord(record), version));
  }

  #write(answer: ApiAnswer<VersionedRecord>): boolean {
    if (!answer.ok) return this.#failed('write', answer.message);
    this.#observe(answer.value);
    return true;
  }

  #failed(operation: string, message: string): boolean {
    this.#options.onProblem(
      `The Lease could not be ${operation === 'read' ? 'read' : 'written'}: ${message}`,
    );
    return false;
  }

  /** The record expires by the time since it last changed, so an unchanged record keeps its time. */
  #observe(record: VersionedRecord): void {
    if (this.#observed?.version === record.version) return;
    this.#observed = record;
    this.#observedAt = this.#options.clock.now();
  }

  #isFree(record: LeaseRecord): boolean {
    if (record.holder === '') return true;
    return this.#options.clock.now() - this.#observedAt >= record.leaseSeconds * 1000;
  }

  #ownRecord(before: LeaseRecord | undefined): LeaseRecord {
    const { identity, clock } = this.#options;
    const now = microTime(clock.wallTime());
    const wasHolder = before?.holder === identity;
    const transitions = before?.transitions ?? 0;
    const sinceRenewalMs = Number.isFinite(this.#renewedAt) ? clock.now() - this.#renewedAt : 0;
    return {
      holder: identity,
      leaseSeconds: leaseSeconds([...this.#intervals, sinceRenewalMs]),
      acquireTime: wasHolder ? before.acquireTime : now,
      renewTime: now,
      transitions: before === undefined || wasHolder ? transitions : transitions + 1,
    };
  }

  async #release(): Promise<void> {
    const { lease, identity, clock } = this.#options;
    if (this.#observed?.record.holder !== identity) return;
    const now = microTime(clock.wallTime());
    const released = {
      ...this.#observed.record,
      holder: '',
      leaseSeconds: 1,
      renewTime: now,
      acquireTime: now,
    };
    const answer = await lease.update(released, this.#observed.version);
    if (!answer.ok) this.#failed('write', answer.message);
  }
}

/** Kubernetes requires six fractional digits. */
function microTime(date: Date): string {
  return date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

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

/** The spec of a Lease. Times are in ISO 8601. An empty `holder` means that the Lease was released. */
export interface LeaseRecord {
  holder: string;
  leaseSeconds: number;
  acquireTime: string;
  renewTime: string;
  transitions: number;
}

/** A record and the resource version of the Lease, which `update` needs. */
export interface VersionedRecord {
  record: LeaseRecord;
  version: string;
}

/**
 * Reads and writes the Lease. `read` returns undefined if it does not exist. `update` fails with a conflict
 * if the Lease has another version by then.
 */
export interface LeaseAccess {
  read(): Promise<ApiAnswer<VersionedRecord | undefined>>;
  create(record: LeaseRecord): Promise<ApiAnswer<VersionedRecord>>;
  update(record: LeaseRecord, version: string): Promise<ApiAnswer<VersionedRecord>>;
}

/** A monotonic clock in milliseconds, for waiting. Wall time is only for display in the Lease. */
export interface ElectorClock {
  now(): number;
  wallTime(): Date;
  /** Resolves after this time, or when the signal aborts. */
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
 * duration, measured by the clock of this process. The leader stops before other replicas may take over.
 *
 * Three rules differ from client-go. The duration adapts to how regularly the leader renews
 * (`lease-terms.ts`). A leader whose process stood still (it got no processor time, or ran a long task) tries
 * to renew before it gives up: it still leads unless another replica has taken over. A process that has led
 * does not take over a Lease that another replica holds or has released.
 *
 * The lease does not stop writes of a former leader. The leader epoch stops its writes to the database.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #random: () => number;
  #observed: VersionedRecord | undefined;
  #observedAt = -Infinity;
  /**
   * When this process sent its last successful write. Other replicas count the duration from when they read
   * that write, which is later.
   */
  #renewedAt = -Infinity;
  /**
   * Milliseconds since the last renewal was answered. The first standstill of this process since then is not
   * counted.
   */
  #ranMs = 0;
  /** Whether this process stood still since the last renewal. */
  #stoodStill = false;
  /**
   * Whether this process leads or has led. If so, it takes the Lease only while it is still the holder:
   * another replica may have led and released the Lease in the meantime.
   */
  #hasLed = false;
  /** Milliseconds between the last renewals of this process. */
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
        this.#hasLed = true;
        return true;
      }
      await clock.sleep(this.#untilNextLook(), signal);
    }
    return false;
  }

  /**
   * How long a standby waits before it looks at the Lease again: about one interval, but not beyond the
   * expiry of the Lease.
   */
  #untilNextLook(): number {
    const interval = LOOK_EVERY_MS * (1 + 0.2 * this.#random());
    const untilExpiry = this.#expiresAt() - this.#options.clock.now();
    return untilExpiry > 0 ? Math.min(interval, Math.ceil(untilExpiry)) : interval;
  }

  /** Renews until the lease is lost or the signal aborts. If the signal aborts, releases the lease. */
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
   * Waits in slices, and counts the time in `#ranMs`. If the process stands still, a slice takes longer than
   * planned, and the process reads responses only afterwards. The first standstill between two renewals does
   * not count, so that the leader still has time to ask the API server whether it leads.
   */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let left = ms; left > 0 && !signal.aborted;) {
      const slice = Math.min(left, COUNT_EVERY_MS);
      const from = clock.now();
      await clock.sleep(slice, signal);
      const counted = this.#countSlice(slice, clock.now() - from);
      this.#ranMs += counted;
      left -= counted;
    }
  }

  /** Returns how much of a slice counts. Notes a standstill. */
  #countSlice(plannedMs: number, elapsedMs: number): number {
    if (this.#stoodStill || elapsedMs < plannedMs + STANDSTILL_MS) return elapsedMs;
    this.#stoodStill = true;
    return plannedMs;
  }

  /**
   * Uses the duration in the current Lease, which other replicas read, and not the duration that the next
   * renewal will write.
   */
  #deadlineMs(): number {
    return renewDeadlineMs(this.#observed?.record.leaseSeconds ?? MIN_LEASE_SECONDS);
  }

  /**
   * Tries to renew the lease, and gives up at the deadline: a request that hangs must not extend the time of
   * this leader.
   */
  async #renewWithinDeadline(): Promise<boolean> {
    const stopWaiting = new AbortController();
    const deadline = this.#wait(this.#deadlineMs() - this.#ranMs, stopWaiting.signal).then(() => false);
    const isHeld = await Promise.race([this.#tryToHold(), deadline]);
    stopWaiting.abort();
    await deadline;
    return isHeld;
  }

  /**
   * Creates, renews or takes over the Lease. False if another replica holds it, this process has led and lost
   * it, or a request fails.
   */
  async #tryToHold(): Promise<boolean> {
    const { lease } = this.#options;
    const renewed = await this.#renewUnread();
    if (renewed !== 'outdated') return renewed;
    const answer = await lease.read();
    if (!answer.ok) return this.#reportFailure('read', answer.message);
    if (answer.value === undefined) return this.#finishWrite(await lease.create(this.#ownRecord(undefined)));
    this.#observe(answer.value);
    const { record, version } = answer.value;
    if (record.holder !== this.#options.identity && (this.#hasLed || !this.#isFree(record))) return false;
    return this.#finishWrite(await lease.update(this.#ownRecord(record), version));
  }

  /**
   * Renews the Lease without reading it first, if this process was its holder when it last read or wrote it.
   * `outdated`: this process was not the holder, or the Lease has another version by now or is gone.
   */
  async #renewUnread(): Promise<boolean | 'outdated'> {
    const { lease, identity } = this.#options;
    const observed = this.#observed;
    if (observed?.record.holder !== identity) return 'outdated';
    const answer = await lease.update(this.#ownRecord(observed.record), observed.version);
    return !answer.ok && (answer.status === 409 || answer.status === 404)
      ? 'outdated'
      : this.#finishWrite(answer);
  }

  #finishWrite(answer: ApiAnswer<VersionedRecord>): boolean {
    if (!answer.ok) return this.#reportFailure('write', answer.message);
    this.#observe(answer.value);
    return true;
  }

  #reportFailure(operation: string, message: string): boolean {
    this.#options.onProblem(
      `The Lease could not be ${operation === 'read' ? 'read' : 'written'}: ${message}`,
    );
    return false;
  }

  /**
   * Notes when the record last changed, because the duration of the lease counts from then. Reading an
   * unchanged record does not extend the lease.
   */
  #observe(record: VersionedRecord): void {
    if (this.#observed?.version === record.version) return;
    this.#observed = record;
    this.#observedAt = this.#options.clock.now();
  }

  #isFree(record: LeaseRecord): boolean {
    return record.holder === '' || this.#options.clock.now() >= this.#expiresAt();
  }

  /** When the observed record expires, by the clock of this process. */
  #expiresAt(): number {
    return this.#observedAt + (this.#observed?.record.leaseSeconds ?? 0) * 1000;
  }

  #ownRecord(previous: LeaseRecord | undefined): LeaseRecord {
    const { identity, clock } = this.#options;
    const now = microTime(clock.wallTime());
    const wasHolder = previous?.holder === identity;
    const transitions = previous?.transitions ?? 0;
    const sinceRenewalMs = Number.isFinite(this.#renewedAt) ? clock.now() - this.#renewedAt : 0;
    return {
      holder: identity,
      leaseSeconds: leaseSeconds([...this.#intervals, sinceRenewalMs]),
      acquireTime: wasHolder ? previous.acquireTime : now,
      renewTime: now,
      transitions: previous === undefined || wasHolder ? transitions : transitions + 1,
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
    if (!answer.ok) this.#reportFailure('write', answer.message);
  }
}

/** Kubernetes requires six fractional digits. */
function microTime(date: Date): string {
  return date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

import { describe, expect, test } from '@jest/globals';
import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import {
  Elector,
  type ElectorClock,
  type LeaseAccess,
  type LeaseRecord,
  type VersionedRecord,
} from './elector.ts';

/**
 * A monotonic clock that moves only when the test moves it. Each candidate's wall clock may be wrong by its
 * own amount.
 */
class ManualTime {
  time = 0;
  readonly #sleepers = new Set<{ at: number; wake: () => void; clock: ElectorClock }>();

  /** `slowdown`: each sleep takes this many times as long as it should. */
  clock(wallErrorMs = 0, slowdown = 1): ElectorClock {
    const clock: ElectorClock = {
      now: () => this.time,
      wallTime: () => new Date(1_800_000_000_000 + this.time + wallErrorMs),
      sleep: async (ms, signal) => {
        await new Promise<void>((resolve) => {
          const sleeper = { at: this.time + ms * slowdown, wake: resolve, clock };
          this.#sleepers.add(sleeper);
          signal.addEventListener('abort', () => resolve(), { once: true });
          if (signal.aborted) resolve();
        });
      },
    };
    return clock;
  }

  /** The process of the clock does not run for this time. */
  standStill(clock: ElectorClock, ms: number): void {
    for (const sleeper of this.#sleepers)
      if (sleeper.clock === clock) sleeper.at = Math.max(sleeper.at, this.time + ms);
  }

  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await settle();
      const next = [...this.#sleepers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#sleepers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.wake();
    }
    this.time = end;
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

/** The one Lease object, with the API server's rule that a write must name the version that it read. */
class SharedLease {
  stored: VersionedRecord | undefined;
  #version = 0;

  access(apiServer: () => 'up' | 'down' | 'hangs' = () => 'up'): LeaseAccess {
    const request = async <T>(answer: () => ApiAnswer<T>): Promise<ApiAnswer<T>> => {
      if (apiServer() === 'hangs') await new Promise(() => undefined);
      return apiServer() === 'down'
        ? { ok: false, status: 0, reason: 'Unreachable', message: 'down' }
        : answer();
    };
    return {
      read: () => request(() => ({ ok: true, value: this.stored })),
      create: (record) =>
        request(() => (this.stored === undefined ? this.#store(record) : conflict('AlreadyExists'))),
      update: (record, version) =>
        request(() => (this.stored?.version === version ? this.#store(record) : conflict('Conflict'))),
    };
  }

  #store(record: LeaseRecord): ApiAnswer<VersionedRecord> {
    this.#version += 1;
    this.stored = { record, version: String(this.#version) };
    return { ok: true, value: this.stored };
  }
}

/** Each request takes this many milliseconds. */
function answersAfter(ms: number, access: LeaseAccess, clock: ElectorClock): LeaseAccess {
  const wait = (): Promise<void> => clock.sleep(ms, new AbortController().signal);
  return {
    read: async () => {
      await wait();
      return access.read();
    },
    create: async (record) => {
      await wait();
      return access.create(record);
    },
    update: async (record, version) => {
      await wait();
      return access.update(record, version);
    },
  };
}

function conflict(reason: string): ApiAnswer<VersionedRecord> {
  return { ok: false, status: 409, reason, message: 'conflict' };
}

interface Candidate {
  stop: AbortController;
  state: 'waiting' | 'leading' | 'lost' | 'released';
}

function startCandidate(identity: string, lease: LeaseAccess, clock: ElectorClock): Candidate {
  const stop = new AbortController();
  const elector = new Elector({ identity, lease, clock, random: () => 0.5, onProblem: () => undefined });
  const result: Candidate = { stop, state: 'waiting' };
  void (async () => {
    if (!(await elector.acquire(stop.signal))) return;
    result.state = 'leading';
    result.state = await elector.hold(stop.signal);
  })();
  return result;
}

describe('leader election', () => {
  test('lets the first candidate lead, and the second wait while the first one renews', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const first = startCandidate('first', lease.access(), time.clock());
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock());
    await time.advance(120_000);
    expect([first.state, second.state]).toEqual(['leading', 'waiting']);
    expect(lease.stored?.record).toMatchObject({ holder: 'first', leaseSeconds: 3, transitions: 0 });
    expect(lease.stored?.record.renewTime).toMatch(/\.\d{6}Z$/);
  });

  test('replaces a killed leader after its record has not changed for three seconds', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let connection: 'up' | 'hangs' = 'up';
    startCandidate(
      'first',
      lease.access(() => connection),
      time.clock(),
    );
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock());
    await time.advance(10_000);
    connection = 'hangs';
    await time.advance(2200);
    expect(second.state).toBe('waiting');
    await time.advance(1500);
    expect(second.state).toBe('leading');
    expect(lease.stored?.record).toMatchObject({ holder: 'second', transitions: 1 });
  });

  test('does not depend on the wall clocks of the candidates', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const first = startCandidate('first', lease.access(), time.clock(-3_600_000));
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock(3_600_000));
    await time.advance(60_000);
    expect([first.state, second.state]).toEqual(['leading', 'waiting']);
  });

  test('passes the lease on within a second when a leader shuts down', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const first = startCandidate('first', lease.access(), time.clock());
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock());
    await time.advance(10_000);
    first.stop.abort();
    await time.advance(1000);
    expect([first.state, second.state]).toEqual(['released', 'leading']);
  });

  test.each(['down', 'hangs'] as const)(
    'stops a leader that cannot renew (API server: %s) before another may begin',
    async (outage) => {
      const [time, lease] = [new ManualTime(), new SharedLease()];
      let apiServer: 'up' | 'down' | 'hangs' = 'up';
      const first = startCandidate(
        'first',
        lease.access(() => apiServer),
        time.clock(),
      );
      await time.advance(100);
      const second = startCandidate('second', lease.access(), time.clock());
      await time.advance(4000);
      apiServer = outage;
      await time.advance(2300);
      expect([first.state, second.state]).toEqual(['lost', 'waiting']);
      await time.advance(1500);
      expect(second.state).toBe('leading');
    },
  );

  test('renews with one request: a leader reads the Lease only if somebody else changed it', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let reads = 0;
    const counted: LeaseAccess = {
      ...lease.access(),
      read: () => {
        reads += 1;
        return lease.access().read();
      },
    };
    const first = startCandidate('first', counted, time.clock());
    await time.advance(10_000);
    expect([first.state, reads]).toEqual(['leading', 1]);
    const record = lease.stored?.record ?? {
      holder: '',
      leaseSeconds: 0,
      acquireTime: '',
      renewTime: '',
      transitions: 0,
    };
    await lease.access().update(record, lease.stored?.version ?? '');
    await time.advance(10_000);
    expect([first.state, reads]).toEqual(['leading', 2]);
  });

  test('takes over at the moment when the lease expires, not at the next regular look', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let connection: 'up' | 'hangs' = 'up';
    startCandidate(
      'first',
      lease.access(() => connection),
      time.clock(),
    );
    await time.advance(100);
    let seen: string | undefined;
    let seenAt = 0;
    const watched: LeaseAccess = {
      ...lease.access(),
      read: () => {
        if (seen !== lease.stored?.version) [seen, seenAt] = [lease.stored?.version, time.time];
        return lease.access().read();
      },
    };
    const second = startCandidate('second', watched, time.clock());
    await time.advance(10_000);
    connection = 'hangs';
    await time.advance(2000);
    const untilExpiry = seenAt + 3000 - time.time;
    await time.advance(untilExpiry - 1);
    expect(second.state).toBe('waiting');
    await time.advance(1);
    expect(second.state).toBe('leading');
  });

  test.each([
    ['stays the leader after its process stood still, if no other candidate leads', false, 'leading'],
    ['stops after its process stood still, if another candidate leads by then', true, 'lost'],
  ])('%s', async (_, isOtherAwake, state) => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const clock = time.clock();
    const first = startCandidate('first', answersAfter(20, lease.access(), clock), clock);
    await time.advance(100);
    if (isOtherAwake) startCandidate('second', lease.access(), time.clock());
    await time.advance(4000);
    time.standStill(clock, 5000);
    await time.advance(10_000);
    expect(first.state).toBe(state);
    expect(lease.stored?.record.holder).toBe(isOtherAwake ? 'second' : 'first');
  });

  test('gives up a lease that another candidate took and released while its process stood still', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const clock = time.clock();
    const first = startCandidate('first', lease.access(), clock);
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock());
    await time.advance(4000);
    time.standStill(clock, 6000);
    await time.advance(5000);
    expect(second.state).toBe('leading');
    second.stop.abort();
    await time.advance(5000);
    expect([first.state, second.state, lease.stored?.record.holder]).toEqual(['lost', 'released', '']);
  });

  test('stops a busy leader that cannot renew before another may begin', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let apiServer: 'up' | 'hangs' = 'up';
    const first = startCandidate(
      'first',
      lease.access(() => apiServer),
      time.clock(0, 1.8),
    );
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock());
    await time.advance(20_000);
    apiServer = 'hangs';
    const seconds = lease.stored?.record.leaseSeconds ?? 0;
    await time.advance(seconds * 750 + 300);
    expect([first.state, second.state]).toEqual(['lost', 'waiting']);
  });

  test('counts a second standstill between two renewals', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const clock = time.clock();
    let apiServer: 'up' | 'hangs' = 'up';
    const first = startCandidate(
      'first',
      lease.access(() => apiServer),
      clock,
    );
    await time.advance(4000);
    apiServer = 'hangs';
    await time.advance(300);
    time.standStill(clock, 2000);
    await time.advance(2200);
    expect(first.state).toBe('leading');
    time.standStill(clock, 2000);
    await time.advance(2300);
    expect(first.state).toBe('lost');
  });

  test('survives an outage shorter than the deadline', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let apiServer: 'up' | 'down' = 'up';
    const first = startCandidate(
      'first',
      lease.access(() => apiServer),
      time.clock(),
    );
    await time.advance(4000);
    apiServer = 'down';
    await time.advance(1400);
    apiServer = 'up';
    await time.advance(20_000);
    expect(first.state).toBe('leading');
  });

  test('writes a longer lease of up to 15 seconds while renewals are slow, and a short one again later', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let writeMs = 0;
    const slow: LeaseAccess = {
      ...lease.access(),
      update: async (record, version) => {
        await time.clock().sleep(writeMs, new AbortController().signal);
        return lease.access().update(record, version);
      },
    };
    startCandidate('first', slow, time.clock());
    await time.advance(100);
    const second = startCandidate('second', lease.access(), time.clock());
    const leaseSecondsAfter = async (ms: number, passed: number): Promise<number | undefined> => {
      writeMs = ms;
      await time.advance(passed);
      return lease.stored?.record.leaseSeconds;
    };
    expect(await leaseSecondsAfter(0, 10_000)).toBe(3);
    expect(await leaseSecondsAfter(1300, 10_000)).toBe(8);
    expect(await leaseSecondsAfter(3000, 20_000)).toBe(15);
    expect(await leaseSecondsAfter(0, 60_000)).toBe(3);
    expect(second.state).toBe('waiting');
  });

  test('stops a leader at once when another candidate took its lease', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const first = startCandidate('first', lease.access(), time.clock());
    await time.advance(100);
    const record = { holder: 'thief', leaseSeconds: 15, acquireTime: '', renewTime: '', transitions: 1 };
    await lease.access().update(record, lease.stored?.version ?? '');
    await time.advance(800);
    expect(first.state).toBe('lost');
    expect(lease.stored?.record.holder).toBe('thief');
  });

  test('lets a candidate with the same name lead again at once if it returns within the lease', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    let connection: 'up' | 'hangs' = 'up';
    startCandidate(
      'first',
      lease.access(() => connection),
      time.clock(),
    );
    await time.advance(100);
    connection = 'hangs';
    const restarted = startCandidate('first', lease.access(), time.clock());
    await time.advance(100);
    expect(restarted.state).toBe('leading');
  });

  test('lets one of two simultaneous candidates lead', async () => {
    const [time, lease] = [new ManualTime(), new SharedLease()];
    const both = ['first', 'second'].map((name) => startCandidate(name, lease.access(), time.clock()));
    await time.advance(60_000);
    expect(both.map(({ state }) => state).toSorted()).toEqual(['leading', 'waiting']);
  });
});

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
class HandTime {
  time = 0;
  readonly #sleepers = new Set<{ at: number; wake: () => void; clock: ElectorClock }>();

  /** `late`: each sleep takes so many times as long as it should. */
  clock(wallErrorMs = 0, late = 1): ElectorClock {
    const clock: ElectorClock = {
      now: () => this.time,
      wallTime: () => new Date(1_800_000_000_000 + this.time + wallErrorMs),
      sleep: async (ms, signal) => {
        await new Promise<void>((resolve) => {
          const sleeper = { at: this.time + ms * late, wake: resolve, clock };
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

  async pass(ms: number): Promise<void> {
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

  access(isDown: () => 'up' | 'down' | 'hangs' = () => 'up'): LeaseAccess {
    const through = async <T>(act: () => ApiAnswer<T>): Promise<ApiAnswer<T>> => {
      if (isDown() === 'hangs') await new Promise(() => undefined);
      return isDown() === 'down' ? { ok: false, status: 0, reason: 'Unreachable', message: 'down' } : act();
    };
    return {
      read: () => through(() => ({ ok: true, value: this.stored })),
      create: (record) =>
        through(() => (this.stored === undefined ? this.#store(record) : conflict('AlreadyExists'))),
      update: (record, version) =>
        through(() => (this.stored?.version === version ? this.#store(record) : conflict('Conflict'))),
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

function candidate(identity: string, lease: LeaseAccess, clock: ElectorClock): Candidate {
  const stop = new AbortController();
  const elector = new Elector({ identity, lease, clock, random: () => 0.5, onProblem: () => undefined });
  const it: Candidate = { stop, state: 'waiting' };
  void (async () => {
    if (!(await elector.acquire(stop.signal))) return;
    it.state = 'leading';
    it.state = await elector.hold(stop.signal);
  })();
  return it;
}

describe('leader election', () => {
  test('lets the first candidate lead while the second waits as long as the first renews', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const first = candidate('first', lease.access(), time.clock());
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock());
    await time.pass(120_000);
    expect([first.state, second.state]).toEqual(['leading', 'waiting']);
    expect(lease.stored?.record).toMatchObject({ holder: 'first', leaseSeconds: 3, transitions: 0 });
    expect(lease.stored?.record.renewTime).toMatch(/\.\d{6}Z$/);
  });

  test('replaces a killed leader after its record has not changed for three seconds', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    let killed: 'up' | 'hangs' = 'up';
    candidate(
      'first',
      lease.access(() => killed),
      time.clock(),
    );
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock());
    await time.pass(10_000);
    killed = 'hangs';
    await time.pass(2200);
    expect(second.state).toBe('waiting');
    await time.pass(1500);
    expect(second.state).toBe('leading');
    expect(lease.stored?.record).toMatchObject({ holder: 'second', transitions: 1 });
  });

  test('does not depend on the wall clocks of the candidates', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const first = candidate('first', lease.access(), time.clock(-3_600_000));
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock(3_600_000));
    await time.pass(60_000);
    expect([first.state, second.state]).toEqual(['leading', 'waiting']);
  });

  test('passes the lease on within a second when a leader stops in order', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const first = candidate('first', lease.access(), time.clock());
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock());
    await time.pass(10_000);
    first.stop.abort();
    await time.pass(1000);
    expect([first.state, second.state]).toEqual(['released', 'leading']);
  });

  test.each(['down', 'hangs'] as const)(
    'stops a leader that cannot renew (API server: %s) before another may begin',
    async (outage) => {
      const [time, lease] = [new HandTime(), new SharedLease()];
      let away: 'up' | 'down' | 'hangs' = 'up';
      const first = candidate(
        'first',
        lease.access(() => away),
        time.clock(),
      );
      await time.pass(100);
      const second = candidate('second', lease.access(), time.clock());
      await time.pass(4000);
      away = outage;
      await time.pass(2300);
      expect([first.state, second.state]).toEqual(['lost', 'waiting']);
      await time.pass(1500);
      expect(second.state).toBe('leading');
    },
  );

  test.each([
    ['stays the leader after its process stood still, if no other candidate leads', false, 'leading'],
    ['stops after its process stood still, if another candidate leads by then', true, 'lost'],
  ])('%s', async (_, isOtherAwake, state) => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const clock = time.clock();
    const first = candidate('first', answersAfter(20, lease.access(), clock), clock);
    await time.pass(100);
    if (isOtherAwake) candidate('second', lease.access(), time.clock());
    await time.pass(4000);
    time.standStill(clock, 5000);
    await time.pass(10_000);
    expect(first.state).toBe(state);
    expect(lease.stored?.record.holder).toBe(isOtherAwake ? 'second' : 'first');
  });

  test('gives up a lease that another candidate took and released while its process stood still', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const clock = time.clock();
    const first = candidate('first', lease.access(), clock);
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock());
    await time.pass(4000);
    time.standStill(clock, 6000);
    await time.pass(5000);
    expect(second.state).toBe('leading');
    second.stop.abort();
    await time.pass(5000);
    expect([first.state, second.state, lease.stored?.record.holder]).toEqual(['lost', 'released', '']);
  });

  test('stops a busy leader that cannot renew before another may begin', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    let away: 'up' | 'hangs' = 'up';
    const first = candidate(
      'first',
      lease.access(() => away),
      time.clock(0, 1.8),
    );
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock());
    await time.pass(20_000);
    away = 'hangs';
    const seconds = lease.stored?.record.leaseSeconds ?? 0;
    await time.pass(seconds * 750 + 300);
    expect([first.state, second.state]).toEqual(['lost', 'waiting']);
  });

  test('counts a second standstill between two renewals', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const clock = time.clock();
    let away: 'up' | 'hangs' = 'up';
    const first = candidate(
      'first',
      lease.access(() => away),
      clock,
    );
    await time.pass(4000);
    away = 'hangs';
    await time.pass(300);
    time.standStill(clock, 2000);
    await time.pass(2200);
    expect(first.state).toBe('leading');
    time.standStill(clock, 2000);
    await time.pass(2300);
    expect(first.state).toBe('lost');
  });

  test('survives an outage shorter than the deadline', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    let away: 'up' | 'down' = 'up';
    const first = candidate(
      'first',
      lease.access(() => away),
      time.clock(),
    );
    await time.pass(4000);
    away = 'down';
    await time.pass(1400);
    away = 'up';
    await time.pass(20_000);
    expect(first.state).toBe('leading');
  });

  test('writes a longer lease of up to 15 seconds while renewals are slow, and a short one again later', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    let tookMs = 0;
    const slow: LeaseAccess = {
      ...lease.access(),
      read: async () => {
        await time.clock().sleep(tookMs, new AbortController().signal);
        return lease.access().read();
      },
    };
    candidate('first', slow, time.clock());
    await time.pass(100);
    const second = candidate('second', lease.access(), time.clock());
    const written = async (ms: number, passed: number): Promise<number | undefined> => {
      tookMs = ms;
      await time.pass(passed);
      return lease.stored?.record.leaseSeconds;
    };
    expect(await written(0, 10_000)).toBe(3);
    expect(await written(1300, 10_000)).toBe(14);
    expect(await written(3000, 20_000)).toBe(15);
    expect(await written(0, 60_000)).toBe(3);
    expect(second.state).toBe('waiting');
  });

  test('stops a leader at once when another candidate took its lease', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const first = candidate('first', lease.access(), time.clock());
    await time.pass(100);
    const record = { holder: 'thief', leaseSeconds: 15, acquireTime: '', renewTime: '', transitions: 1 };
    await lease.access().update(record, lease.stored?.version ?? '');
    await time.pass(800);
    expect(first.state).toBe('lost');
    expect(lease.stored?.record.holder).toBe('thief');
  });

  test('lets a candidate with the same name lead on at once if it returns within the lease', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    let killed: 'up' | 'hangs' = 'up';
    candidate(
      'first',
      lease.access(() => killed),
      time.clock(),
    );
    await time.pass(100);
    killed = 'hangs';
    const again = candidate('first', lease.access(), time.clock());
    await time.pass(100);
    expect(again.state).toBe('leading');
  });

  test('lets one of two simultaneous candidates lead', async () => {
    const [time, lease] = [new HandTime(), new SharedLease()];
    const both = ['first', 'second'].map((name) => candidate(name, lease.access(), time.clock()));
    await time.pass(60_000);
    expect(both.map(({ state }) => state).toSorted()).toEqual(['leading', 'waiting']);
  });
});

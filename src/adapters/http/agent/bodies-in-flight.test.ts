import { describe, expect, test } from '@jest/globals';
import { BodiesInFlight, MAX_COUNTED_BODY_BYTES, UNCOUNTED_BODY_BYTES } from './bodies-in-flight.ts';
import { MAX_EVENTS_BYTES, MAX_RESULTS_BYTES } from './routes.ts';

/** How many bytes a piece counts as: its length, plus the extra bytes per piece. */
const COUNTED_PIECE_BYTES = 64 * 1024;
const PIECE_BYTES = COUNTED_PIECE_BYTES - 512;
const NO_MEMORY = expect.objectContaining({ kind: 'too-many-requests' });

/** Sends pieces of one body until one is refused. Returns how many bytes were taken. */
function fill(bodies: BodiesInFlight, session: string): { taken: number; end: () => void } {
  const body = bodies.begin(session);
  for (let taken = 0; ; taken += COUNTED_PIECE_BYTES) {
    try {
      body.add(PIECE_BYTES);
    } catch (error) {
      expect(error).toEqual(NO_MEMORY);
      return { taken, end: body.end };
    }
  }
}

describe('the bodies of agents that are handled at the same time', () => {
  test('leave room for the largest body of another session, even if one session sends as much as it can', () => {
    const bodies = new BodiesInFlight();
    const { taken } = fill(bodies, 'greedy');
    expect(taken).toBe(MAX_COUNTED_BODY_BYTES / 2 + UNCOUNTED_BODY_BYTES);
    expect(() => bodies.begin('honest').add(MAX_EVENTS_BYTES)).not.toThrow();
  });

  test('never take more memory than is allowed, for any number of sessions', () => {
    const bodies = new BodiesInFlight();
    const sessions = Array.from({ length: 200 }, (_, index) => fill(bodies, `greedy ${index}`));
    const countedBytes = sessions.reduce(
      (sum, { taken }) => sum + Math.max(taken - UNCOUNTED_BODY_BYTES, 0),
      0,
    );
    expect(countedBytes).toBeLessThanOrEqual(MAX_COUNTED_BODY_BYTES);
    expect(() => bodies.begin('honest').add(UNCOUNTED_BODY_BYTES - 512)).not.toThrow();
  });

  test('are counted together if one session sends many bodies', () => {
    const bodies = new BodiesInFlight();
    const sendMany = (): void => {
      for (let sent = 0; sent <= MAX_COUNTED_BODY_BYTES / COUNTED_PIECE_BYTES; sent += 1)
        bodies.begin('greedy').add(PIECE_BYTES);
    };
    expect(sendMany).toThrow(NO_MEMORY);
  });

  test('can be as long as the longest body that an agent sends', () => {
    const body = new BodiesInFlight().begin('checks');
    const sendAll = (): void => {
      for (let sent = 0; sent < MAX_RESULTS_BYTES; sent += 4096) body.add(4096);
    };
    expect(sendAll).not.toThrow();
  });

  test('count more than their bytes if they come in tiny pieces', () => {
    const body = new BodiesInFlight().begin('greedy');
    const sendTiny = (): void => {
      for (let sent = 0; sent < 100_000; sent += 1) body.add(1);
    };
    expect(sendTiny).toThrow(NO_MEMORY);
  });

  test('count no memory after their requests, even if a request ends twice or sends more', () => {
    const bodies = new BodiesInFlight();
    const { taken, end } = fill(bodies, 'greedy');
    end();
    end();
    const late = bodies.begin('greedy');
    late.end();
    late.add(MAX_COUNTED_BODY_BYTES);
    expect(fill(bodies, 'greedy').taken).toBe(taken);
  });
});

import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { EventsResponse } from '#domain/build/agent-protocol.ts';
import { Outbox } from './outbox.ts';
import { Spool, type SpoolLimits } from './spool.ts';

interface Sent {
  events: { sequence: number; type: string; text?: string }[];
}

function make(
  send: (events: Sent['events']) => EventsResponse,
  limits?: SpoolLimits,
): { outbox: Outbox; sent: Sent['events'][]; cancels: () => number } {
  const sent: Sent['events'][] = [];
  let cancelCount = 0;
  const links = {
    send: async (body: Buffer) => {
      const { events }: Sent = JSON.parse(body.toString());
      sent.push(events);
      return await Promise.resolve(send(events));
    },
    onCancel: () => void (cancelCount += 1),
    onOver: doNothing,
    onRefused: doNothing,
  };
  return { outbox: new Outbox(links, new Spool(tmpdir(), limits)), sent, cancels: () => cancelCount };
}

const doNothing = (): void => undefined;
const acknowledgeAll = (events: Sent['events']): EventsResponse => ({
  acknowledged: events.at(-1)?.sequence ?? 0,
});

describe('the outbox', () => {
  test('sends simultaneous events together', async () => {
    const { outbox, sent } = make(acknowledgeAll);
    outbox.add({ type: 'step-started', step: '0' });
    outbox.add({ type: 'log', step: '0', text: 'x' });
    await outbox.whenAcknowledged(outbox.add({ type: 'step-ended', step: '0', status: 'succeeded' }));
    expect(sent.map((events) => events.map((event) => event.sequence))).toEqual([[1, 2, 3]]);
    expect(outbox.acknowledgedUpTo).toBe(3);
  });

  test('sends again only what was not acknowledged', async () => {
    let tries = 0;
    const { outbox, sent } = make((events) => {
      tries += 1;
      if (tries === 1) throw new Error('no gateway');
      return tries === 2 ? { acknowledged: 1 } : acknowledgeAll(events);
    });
    outbox.add({ type: 'step-started', step: '0' });
    await outbox.whenAcknowledged(outbox.add({ type: 'step-ended', step: '0', status: 'succeeded' }, true));
    expect(sent.map((events) => events.map((event) => event.sequence))).toEqual([[1, 2], [1, 2], [2]]);
  });

  test('sends short bodies while the gateway refuses long ones, and long ones again after a success', async () => {
    let memory = 100_000;
    const sizes: number[] = [];
    const { outbox } = make((events) => {
      const size = events.reduce((sum, { text = '' }) => sum + text.length, 0);
      if (size > memory) throw new Error('429');
      sizes.push(size);
      memory = Number.POSITIVE_INFINITY;
      return acknowledgeAll(events);
    });
    const text = 'x'.repeat(10_000);
    for (let count = 0; count < 120; count += 1) outbox.add({ type: 'log', step: '0', text });
    await outbox.whenAcknowledged(outbox.flush());
    expect(sizes[0]).toBeLessThanOrEqual(100_000);
    expect(sizes[1]).toBeGreaterThan(400_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(120 * text.length);
  });

  test('sends later events after an outage that ended while it had no events', async () => {
    let isConnectionLost = true;
    const { outbox } = make((events) => {
      if (!isConnectionLost) return acknowledgeAll(events);
      isConnectionLost = false;
      throw new Error('no gateway');
    });
    await outbox.whenAcknowledged(outbox.add({ type: 'log', step: '0', text: 'line 1\n' }));
    await sleep(20);
    await outbox.whenAcknowledged(outbox.add({ type: 'log', step: '0', text: 'line 2\n' }));
    expect(outbox.acknowledgedUpTo).toBe(2);
  }, 10_000);

  test('sends every event, whatever the outages of the gateway and the pauses between events', async () => {
    const step = fc.record({
      isConnectionLost: fc.boolean(),
      isUrgent: fc.boolean(),
      pauseMs: fc.constantFrom(0, 1, 15, 60),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        let isConnectionLost = false;
        const { outbox, sent } = make((events) => {
          if (isConnectionLost) throw new Error('no gateway');
          return acknowledgeAll(events);
        });
        for (const [index, { isUrgent, pauseMs, ...gateway }] of steps.entries()) {
          ({ isConnectionLost } = gateway);
          outbox.add({ type: 'log', step: '0', text: `line ${index}\n` }, isUrgent);
          await sleep(pauseMs);
        }
        isConnectionLost = false;
        await outbox.whenAcknowledged(outbox.add({ type: 'log', step: '0', text: 'the last\n' }));
        const taken = new Set(sent.flat().map(({ sequence }) => sequence));
        expect(taken.size).toBe(steps.length + 1);
      }),
      { numRuns: 30, timeout: 1000 },
    );
  }, 60_000);

  test('calls onCancel when a response says that the build is cancelled', async () => {
    const { outbox, cancels } = make((events) => ({ ...acknowledgeAll(events), cancel: true }));
    await outbox.whenAcknowledged(outbox.add({ type: 'step-started', step: '0' }));
    expect(cancels()).toBe(1);
  });

  test('says how much log it dropped, and leaves no gap in the sequence numbers', async () => {
    let isUnavailable = true;
    const { outbox, sent } = make(
      (events) => {
        if (isUnavailable) throw new Error('no gateway');
        return acknowledgeAll(events);
      },
      { memory: 150, disk: 0 },
    );
    expect(outbox.add({ type: 'log', step: '0', text: 'kept' })).toBe(1);
    expect(outbox.add({ type: 'log', step: '0', text: 'lost!'.repeat(20) })).toBe(0);
    const ended = outbox.add({ type: 'step-ended', step: '0', status: 'succeeded' });
    expect(ended).toBe(2);
    isUnavailable = false;
    await outbox.whenAcknowledged(ended);
    await outbox.whenAcknowledged(outbox.add({ type: 'log', step: '1', text: 'again' }));
    expect(sent.flat().findLast((event) => event.type === 'log')).toMatchObject({
      sequence: 3,
      text: '\n[100 characters lost: the gateway was unreachable]\nagain',
    });
  });

  test('ignores an acknowledgement of unsent events', async () => {
    const { outbox } = make(() => ({ acknowledged: 1_000_000 }));
    await outbox.whenAcknowledged(outbox.add({ type: 'step-started', step: '0' }));
    expect(outbox.acknowledgedUpTo).toBe(1);
  });

  test('stops waiting when it gives up', async () => {
    const { outbox } = make(() => ({ acknowledged: 0 }));
    const waiting = outbox.whenAcknowledged(outbox.add({ type: 'step-started', step: '0' }));
    outbox.giveUp(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(outbox.whenAcknowledged(1)).rejects.toThrow('enough');
  });
});

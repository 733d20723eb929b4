import { describe, expect, test } from '@jest/globals';
import type { StepState } from './build-state.ts';
import { withSentNotifications, type SentNotifications } from './sent-notifications.ts';

const STEPS: StepState[] = [
  { id: '0', kind: 'notify', name: 'chat.a', status: 'skipped' },
  { id: 'notification.0', kind: 'notify', name: 'chat.a', status: 'skipped' },
  { id: 'notification.1', kind: 'notify', name: 'chat.b', status: 'succeeded' },
];
const startedAt = new Date('2026-01-01T00:00:00Z');
const endedAt = new Date('2026-01-01T00:00:05Z');
const sent = (more: Partial<SentNotifications>): SentNotifications => ({
  moment: 'ended',
  names: ['chat.a'],
  results: [],
  startedAt,
  endedAt,
  ...more,
});

describe('the steps of a build show a notification of the operator', () => {
  test.each<[title: string, change: Partial<SentNotifications>, shown: string]>([
    ['as succeeded', { results: [{ hook: 'chat.a', output: 'x' }] }, 'succeeded'],
    [
      'as failed, with its output',
      { results: [{ hook: 'chat.a', output: 'refused\n', error: 'exit code 22.' }] },
      'failed exit code 22. refused',
    ],
    ['as failed, with the reason why no Pod sent it', { error: 'No Pod.' }, 'failed No Pod.'],
    ['as failed, if its Pod reported nothing about it', {}, 'failed it was not sent'],
  ])('%s', (_title, change, shown) => {
    const [step, automatic, other] = withSentNotifications(STEPS, [sent(change)]);
    expect([step, other]).toEqual([STEPS[0], STEPS[2]]);
    const { status, message = '', ...times } = automatic ?? {};
    expect(`${status} ${message}`.trimEnd()).toBe(shown);
    expect(times).toMatchObject({ startedAt: startedAt.toISOString(), endedAt: endedAt.toISOString() });
  });

  test('as skipped without times, if the build no longer waited for approval', () => {
    const skipped = 'Not sent: the build was approved before a Pod could send it.';
    const approvalRequest = sent({ moment: 'waiting', results: [{ hook: 'chat.a', output: '', skipped }] });
    expect(withSentNotifications([], [approvalRequest])).toEqual([
      { id: 'approve.notify.0', kind: 'notify', name: 'chat.a', status: 'skipped', message: skipped },
    ]);
  });

  test('as started until it ends', () => {
    const { endedAt: _, ...unfinished } = sent({});
    expect(withSentNotifications(STEPS, [unfinished])[1]).toMatchObject({ status: 'started' });
  });

  test('before all steps, if it asked for approval', () => {
    const approvalRequest = sent({ moment: 'waiting', results: [{ hook: 'chat.a', output: '' }] });
    const [first, ...others] = withSentNotifications(STEPS, [approvalRequest]);
    expect(first).toMatchObject({ id: 'approve.notify.0', name: 'chat.a', status: 'succeeded' });
    expect(others).toEqual(STEPS);
  });
});

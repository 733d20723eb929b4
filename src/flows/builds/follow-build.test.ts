import { describe, expect, test } from '@jest/globals';
import type { StepState } from '#domain/build/build-state.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { openAttempt } from '#testing/flows/open-builds.ts';
import { describeNotification } from '#testing/flows/recorded-notifications.ts';
import { eventsOf } from '#testing/stores/stores.ts';
import type { AttemptChanges, StoredAttempt } from './build-transaction.ts';
import { followBuild } from './follow-build.ts';

const AT = '2026-01-01T00:00:00.000Z';
const EVENTS = eventsOf(['0'], AT);
const STEP: StepState = { id: '0', kind: 'task', name: 'test', status: 'waiting' };

/**
 * Follows an attempt of build 41 in pipeline 1. Returns the flow's answer, its locks and notifications, and
 * what it recorded.
 */
async function follow(events: BuildEvent[], more: Partial<StoredAttempt> = {}, step = STEP) {
  const open = openAttempt(41, 2);
  const attempt: StoredAttempt = {
    ...open,
    ...more,
    state: { ...open.state, ...more.state, steps: { kind: 'recorded', steps: [step] } },
  };
  const effects: string[] = [];
  const changes: AttemptChanges[] = [];
  const answer = await followBuild({ build: 41, attempt: 2 }, events, {
    builds: {
      withBuild: async (_build, { mayDecide }, work) => {
        if (mayDecide) effects.push('lock');
        return await work({
          attempt: async () => attempt,
          record: async (_stored, change) => void changes.push(change),
          retry: async () => undefined,
        });
      },
    },
    notifications: { notify: (notification) => void effects.push(describeNotification(notification)) },
  });
  return { answer, effects, changes };
}

describe('followBuild', () => {
  test('records events that begin the build, and notifies viewers', async () => {
    const { answer, effects } = await follow(EVENTS.slice(0, 1));
    expect(answer).toEqual({ acknowledged: 1, cancel: false });
    expect(effects).toEqual(['status 1', 'progress 41']);
  });

  test('notifies nobody but viewers if the events only add to the log', async () => {
    const state = { ...openAttempt(41, 2).state, status: 'started', applied: 1 } as const;
    const { effects } = await follow(EVENTS.slice(1, 2), { state }, { ...STEP, status: 'started' });
    expect(effects).toEqual(['progress 41']);
  });

  test('locks the pipeline first if the events end the build, and requests a decision', async () => {
    const { effects, changes } = await follow(EVENTS);
    expect(effects).toEqual(['lock', 'schedule 1', 'status 1', 'progress 41']);
    expect(changes[0]?.end).toMatchObject({ outcome: 'succeeded', status: 'succeeded', good: true });
  });

  test('ends a failed build with a warning if its job allows failures', async () => {
    const end: BuildEvent = {
      sequence: 1,
      at: AT,
      type: 'build-ended',
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'test failed',
    };
    const [strict, lenient] = await Promise.all([follow([end]), follow([end], { allowFailure: true })]);
    expect(strict.changes[0]?.end).toMatchObject({ status: 'failed', good: false });
    expect(lenient.changes[0]?.end).toMatchObject({ outcome: 'failed', status: 'warning', good: true });
  });

  test.each<[sentence: string, notified: { notified?: boolean }, byAgent: boolean]>([
    ['the agent has sent the notifications', {}, true],
    ['the agent was stopped before it sent the notifications', { notified: false }, false],
  ])('says whether %s', async (_sentence, notified, byAgent) => {
    const ended: BuildEvent = {
      sequence: 1,
      at: AT,
      type: 'build-ended',
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'test failed',
      ...notified,
    };
    const { changes } = await follow([ended]);
    expect(changes[0]?.end).toMatchObject({ status: 'failed', byAgent });
  });

  test('requests decisions on all pipelines for a new version', async () => {
    const put: StepState = { ...STEP, kind: 'put', name: 'image', resource: 'image', status: 'started' };
    const putEnded: BuildEvent = {
      sequence: 1,
      at: AT,
      type: 'step-ended',
      step: '0',
      status: 'succeeded',
      version: { digest: 'a' },
    };
    const { effects } = await follow([putEnded], {}, put);
    expect(effects).toEqual(['lock', 'schedule 1', 'schedule all', 'progress 41']);
  });

  const changingNothing: Record<string, [Partial<StoredAttempt>, unknown]> = {
    'acknowledges again events that are already recorded': [
      { state: { ...openAttempt(41, 2).state, applied: 9 }, cancel: true },
      { acknowledged: 9, cancel: true },
    ],
    'refuses events of an attempt that is not the current one': [{ current: false }, 'over'],
    'refuses events of a build that waits for its turn': [{ hadTurn: false }, 'over'],
    'refuses new events of a build that has ended': [{ ended: true }, 'over'],
    'acknowledges again recorded events of a build that has ended': [
      { ended: true, state: { ...openAttempt(41, 2).state, applied: 9 } },
      { acknowledged: 9, cancel: false },
    ],
  };
  test.each(Object.entries(changingNothing))('%s', async (_sentence, [more, expected]) => {
    const { answer, effects, changes } = await follow(EVENTS.slice(0, 1), more);
    expect([answer, effects, changes]).toEqual([expected, [], []]);
  });
});

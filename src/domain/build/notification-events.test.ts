import { describe, expect, test } from '@jest/globals';
import type { NotificationEvent } from '#domain/pipeline/pipeline.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';
import type { BuildOutcome } from './events.ts';
import { sendsFor } from './notification-events.ts';

const OUTCOMES: BuildOutcome[] = ['succeeded', 'failed', 'cancelled'];

describe('an automatic notification', () => {
  test.each<[on: NotificationEvent[], previous: PreviousOutcome | undefined, sent: BuildOutcome[]]>([
    [['success'], undefined, ['succeeded']],
    [['failure'], undefined, ['failed']],
    [['cancel'], undefined, ['cancelled']],
    [['success', 'failure', 'cancel'], 'failed', ['succeeded', 'failed', 'cancelled']],
    [['changed'], 'succeeded', ['failed']],
    [['changed'], 'failed', ['succeeded']],
    [['changed'], undefined, ['failed']],
    [['failure', 'changed'], 'failed', ['succeeded', 'failed']],
    [['cancel', 'changed'], 'succeeded', ['failed', 'cancelled']],
    [[], 'failed', []],
  ])('on %j, if the previous build has %s, is sent for the outcomes %j', (on, previous, sent) => {
    expect(OUTCOMES.filter((outcome) => sendsFor(on, outcome, previous))).toEqual(sent);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { StepState } from './build-state.ts';
import { listedSteps } from './listed-steps.ts';
import { isPlanDecided, unprovenStep } from './step-proof.ts';

const step = (id: string, status: StepState['status'], more: Partial<StepState> = {}): StepState => ({
  id,
  kind: 'task',
  name: id,
  status,
  ...more,
});
const branch = { kind: 'branch' } as const;

describe('a build is proven to have succeeded', () => {
  test.each<[what: string, steps: StepState[], unproven: string | undefined]>([
    ['when all steps succeeded', [step('0', 'succeeded'), step('1', 'succeeded')], undefined],
    ['not when a step was skipped', [step('0', 'succeeded'), step('1', 'skipped')], '1'],
    ['not while a step has not ended', [step('0', 'started')], '0'],
    [
      'when the steps of a branch were skipped with it',
      [step('0.0', 'skipped', branch), step('0.0.0', 'skipped', { parent: '0.0' })],
      undefined,
    ],
    [
      'when the steps of a branch inside a skipped branch never began',
      [
        step('0.0', 'skipped', branch),
        step('0.0.0.0', 'waiting', { ...branch, parent: '0.0' }),
        step('0.0.0.0.0', 'waiting', { parent: '0.0.0.0' }),
      ],
      undefined,
    ],
    [
      'not when a step of a branch that was taken was skipped',
      [step('0.0', 'succeeded', branch), step('0.0.0', 'skipped', { parent: '0.0' })],
      '0.0.0',
    ],
    [
      'not when a step of a group failed',
      [step('0', 'succeeded', { kind: 'parallel' }), step('0.0', 'failed', { parent: '0' })],
      '0.0',
    ],
    [
      'however hooks, notifications and stops of services ended',
      [
        step('0', 'succeeded'),
        step('0.ensure.0', 'failed', { parent: '0', hook: 'ensure' }),
        step('1', 'failed', { kind: 'notify' }),
        step('service.0.stop', 'failed', { kind: 'service' }),
      ],
      undefined,
    ],
    [
      'not when a service did not start',
      [step('service.0.start', 'failed', { kind: 'service' })],
      'service.0.start',
    ],
  ])('%s', (_what, steps, unproven) => {
    expect(unprovenStep(steps)?.id).toBe(unproven);
  });
});

test('people see no hooks that did not run, and no steps in a branch that was not taken', () => {
  const steps = [
    step('0', 'succeeded'),
    step('0.on_failure.0', 'skipped', { parent: '0', hook: 'on_failure' }),
    step('0.ensure.0', 'succeeded', { parent: '0', hook: 'ensure' }),
    step('1.0', 'skipped', branch),
    step('1.0.0', 'skipped', { kind: 'parallel', parent: '1.0' }),
    step('1.0.0.0', 'skipped', { parent: '1.0.0' }),
    step('2', 'skipped'),
    step('notification.0', 'waiting', { kind: 'notify' }),
  ];
  expect(listedSteps(steps).map(({ id }) => id)).toEqual(['0', '0.ensure.0', '1.0', '2']);
});

describe('a cancel can no longer change how the plan ends', () => {
  const inGroup = { parent: '0' };
  const group = (status: StepState['status']): StepState => step('0', status, { kind: 'parallel' });
  test.each<[what: string, steps: StepState[], isDecided: boolean]>([
    [
      'once all steps succeeded, while the hooks of the job run',
      [step('0', 'succeeded'), step('ensure.0', 'started', { hook: 'ensure' })],
      true,
    ],
    ['not before the last step', [step('0', 'succeeded'), step('1', 'waiting')], false],
    ['not after a cancel between steps', [step('0', 'succeeded'), step('1', 'skipped')], false],
    ['not after a cancel during a step', [step('0', 'cancelled'), step('1', 'skipped')], false],
    ['once a step failed, while its hooks run', [step('0', 'failed'), step('1', 'waiting')], true],
    [
      'once a step of a branch failed',
      [step('0.0', 'started', { kind: 'branch' }), step('0.0.0', 'failed', { parent: '0.0' })],
      true,
    ],
    [
      'not while other steps of a group run',
      [group('started'), step('0.0', 'failed', inGroup), step('0.1', 'started', inGroup)],
      false,
    ],
    [
      'not if the group was cancelled after one of its steps failed',
      [group('cancelled'), step('0.0', 'failed', inGroup), step('0.1', 'cancelled', inGroup)],
      false,
    ],
    [
      'once a group with fail_fast failed',
      [group('failed'), step('0.0', 'failed', inGroup), step('0.1', 'cancelled', inGroup)],
      true,
    ],
    ['once a service failed', [step('s.start', 'failed', { kind: 'service' }), step('0', 'skipped')], true],
    ['while a service stops', [step('0', 'succeeded'), step('s.stop', 'started', { kind: 'service' })], true],
    [
      'not by a notify step that failed',
      [step('0', 'failed', { kind: 'notify' }), step('1', 'waiting')],
      false,
    ],
    [
      'not while a notify step runs',
      [step('0', 'succeeded'), step('1', 'started', { kind: 'notify' })],
      false,
    ],
    [
      'once the last notify step failed, before the automatic notifications',
      [
        step('0', 'succeeded'),
        step('1', 'failed', { kind: 'notify' }),
        step('notification.0', 'waiting', { kind: 'notify' }),
      ],
      true,
    ],
  ])('%s', (_, steps, isDecided) => {
    expect(isPlanDecided(steps)).toBe(isDecided);
  });
});

import { describe, expect, test } from '@jest/globals';
import { applyEvents, newBuildState } from './apply-events.ts';
import type { BuildState } from './build-state.ts';
import type { BuildEvent, StepEnded, TerminationMessage } from './events.ts';
import { settleBuild, settleSteps, type EndToSettle } from './settle-build.ts';

const at = '2026-01-01T00:00:00Z';
const later = '2026-01-01T00:01:00Z';
const initialState = newBuildState([
  { id: '0', kind: 'task', name: 'unit' },
  { id: '1', kind: 'put', name: 'git.tag', resource: 'git.tag' },
]);
type UnnumberedEvent = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence' | 'at'>
    : never
  : never;
const stateAfter = (...events: UnnumberedEvent[]): BuildState =>
  applyEvents(
    initialState,
    events.map((event, index) => ({ ...event, sequence: index + 1, at })),
  ).state;
const start = (step: string) => ({ type: 'step-started' as const, step });
const end = (step: string, more: Partial<StepEnded> = {}) => ({
  type: 'step-ended' as const,
  step,
  status: 'succeeded' as const,
  exitCode: 0,
  ...more,
});
const putBegun = stateAfter(start('0'), end('0'), start('1'));

const success = {
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All steps succeeded.',
} as const;
const failure = { outcome: 'failed', reason: 'PodLost', message: 'The Pod is gone.' } as const;
const termination = (more: Partial<TerminationMessage>): { termination: TerminationMessage } => ({
  termination: { format: 1, ...success, exits: { '0': 0, '1': 0 }, acknowledged: 0, ...more },
});
const version = { ref: 'abc' };

describe('the log of a build whose end no event reported', () => {
  test.each<[string, BuildState, Partial<EndToSettle>, string[]]>([
    ['a step whose end was not reported', putBegun, termination({ versions: { '1': version } }), ['1']],
    ['steps that were not reported', initialState, termination({ versions: { '1': version } }), ['0', '1']],
    ['a step that was cut off with its agent', putBegun, {}, ['1']],
    ['a step that was cut off, but not a step that never ran', stateAfter(start('0')), {}, ['0']],
  ])('says that its end may be missing: %s', (_, state, more, steps) => {
    const { logs } = settleBuild(state, { ...failure, at, ...more });
    expect(logs.map(({ step }) => step)).toEqual(steps);
    expect(logs.map(({ sequence }) => sequence)).toEqual(steps.map((__, index) => state.applied + 1 + index));
    for (const { text } of logs) expect(text).toContain('before it could send the rest of this log');
  });

  test('says nothing if every end was reported', () => {
    const complete = stateAfter(start('0'), end('0'), start('1'), end('1', { version }));
    expect(settleBuild(complete, { ...success, at, ...termination({}) }).logs).toEqual([]);
  });
});

describe('a build that ends by the termination message of its agent', () => {
  test('takes steps and versions from the message', () => {
    const settled = settleBuild(putBegun, {
      ...success,
      at: later,
      ...termination({ versions: { '1': version } }),
    });
    expect(settled.end).toEqual({ ...success, at: later });
    expect(settled.puts).toEqual([{ type: 'step-ended', step: '1', status: 'succeeded', version }]);
    expect(settled.state).toMatchObject({
      status: 'succeeded',
      steps: [
        { status: 'succeeded', endedAt: at },
        { status: 'succeeded', startedAt: at, endedAt: later, exitCode: 0 },
      ],
    });
  });

  test('needs no events', () => {
    const settled = settleBuild(initialState, {
      ...success,
      at,
      ...termination({ versions: { '1': version } }),
    });
    expect(settled).toMatchObject({ end: success, puts: [{ version }] });
    expect(settled.state.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });

  test('succeeds if its put made no version', () => {
    const settled = settleBuild(putBegun, { ...success, at, ...termination({ versions: { '1': {} } }) });
    expect(settled).toMatchObject({ end: success, puts: [] });
  });

  test('succeeds if the version was recorded before', () => {
    const recorded = stateAfter(start('0'), end('0'), start('1'), end('1', { version }));
    const settled = settleBuild(recorded, { ...success, at, ...termination({}) });
    expect(settled).toMatchObject({ end: success, puts: [] });
  });

  test('fails if a version did not fit into the message, and names it', () => {
    const settled = settleBuild(putBegun, { ...success, at, ...termination({}) });
    expect(settled.end).toMatchObject({
      outcome: 'failed',
      reason: 'VersionLost',
      message: expect.stringContaining('The version that the put git.tag made is lost'),
    });
    expect(settled.state).toMatchObject({
      status: 'failed',
      steps: [{}, { status: 'succeeded', message: 'its version is lost' }],
    });
  });

  test('fails if the record of a step differs', () => {
    const failed = stateAfter(start('0'), end('0', { status: 'failed', exitCode: 1 }));
    const settled = settleBuild(failed, { ...success, at, ...termination({ versions: { '1': {} } }) });
    expect(settled.end).toMatchObject({ outcome: 'failed', reason: 'AgentFault' });
    expect(settled.state.steps[0]).toMatchObject({ status: 'failed', exitCode: 1 });
  });

  test('records the versions of its puts even if it failed, and says what was lost', () => {
    const settled = settleBuild(putBegun, {
      ...failure,
      at,
      ...termination({ versions: { '1': version } }),
    });
    expect(settled).toMatchObject({ end: failure, puts: [{ version }] });
    const lost = settleBuild(putBegun, { ...failure, at, ...termination({}) });
    expect(lost.end?.message).toMatch(/^The Pod is gone\. The version that the put git\.tag made is lost/);
    expect(lost.end).toMatchObject({ reason: 'PodLost' });
  });

  test.each([
    ['a step that failed', { exits: { '0': 3 }, statuses: { '0': 'failed' as const } }, 'failed', 3],
    [
      'a step that was cancelled',
      { exits: { '0': 0 }, statuses: { '0': 'cancelled' as const } },
      'cancelled',
      0,
    ],
    [
      'a step that was ended by a signal, reported by an older agent',
      { exits: { '0': null } },
      'failed',
      undefined,
    ],
  ])('distinguishes %s from other steps', (_, more, status, exitCode) => {
    const { state } = settleBuild(stateAfter(start('0')), { ...failure, at, ...termination(more) });
    expect(state.steps[0]?.status).toBe(status);
    expect(state.steps[0]?.exitCode).toBe(exitCode);
    expect(state.steps[1]?.status).toBe('skipped');
  });
});

describe('a build that ends without a termination message', () => {
  test.each([
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
  ] as const)('as %s leaves no step open', (outcome, status) => {
    const settled = settleBuild(stateAfter(start('0')), { ...failure, outcome, at });
    expect(settled.state.steps.map((step) => step.status)).toEqual([status, 'skipped']);
    expect(settled).toMatchObject({ puts: [], end: { outcome, message: failure.message } });
  });

  test('never succeeds', () => {
    expect(settleBuild(putBegun, { ...success, at }).end).toMatchObject({ outcome: 'failed' });
  });
});

test('an attempt that is followed by another leaves no step open', () => {
  expect(settleSteps(stateAfter(start('0')), at).map(({ status }) => status)).toEqual(['failed', 'skipped']);
  const { termination: last } = termination({ exits: { '0': 0 } });
  expect(settleSteps(initialState, at, last).map(({ status }) => status)).toEqual(['succeeded', 'skipped']);
});

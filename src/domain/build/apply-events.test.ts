import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { applyEvents, closeBuild, newBuildState } from './apply-events.ts';
import type { BuildState } from './build-state.ts';
import type { BuildEvent } from './events.ts';
import { DEFAULT_LOG_BYTES, LOG_CUT_LINE } from './log-limit.ts';

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence' | 'at'> : never;
type EventWithoutNumber = Unnumbered<BuildEvent>;

const AT = '2026-01-01T00:00:00Z';
const initialState = newBuildState([
  { id: '0', kind: 'get', name: 'git.app', resource: 'git.app' },
  { id: '1', kind: 'task', name: 'unit' },
  { id: '2', kind: 'put', name: 'git.tag', resource: 'git.tag' },
]);

function numbered(unnumbered: EventWithoutNumber[], from = 1): BuildEvent[] {
  return unnumbered.map((event, index) => ({ ...event, sequence: from + index, at: AT }));
}
const started = (step: string): EventWithoutNumber => ({ type: 'step-started', step });
const succeeded = (step: string, more: object = {}): EventWithoutNumber => ({
  type: 'step-ended',
  step,
  status: 'succeeded',
  exitCode: 0,
  ...more,
});
const buildSucceeded: EventWithoutNumber = {
  type: 'build-ended',
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All.',
};
const buildFailed: EventWithoutNumber = {
  type: 'build-ended',
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'Step unit.',
};
const firstTwoSucceeded = ['0', '1'].flatMap((step) => [started(step), succeeded(step)]);
const putSucceeded = [started('2'), succeeded('2', { version: { ref: 'a' } })];

function statuses(state: BuildState): string[] {
  return [state.status, ...state.steps.map((step) => step.status)];
}

describe('the events of a build', () => {
  const cases: Record<
    string,
    { unnumbered: EventWithoutNumber[]; statuses: string[]; outcome?: string; reason?: string }
  > = {
    'leave the build unchanged if there are none': {
      unnumbered: [],
      statuses: ['pending', 'waiting', 'waiting', 'waiting'],
    },
    'start the build with its first step': {
      unnumbered: [started('0')],
      statuses: ['started', 'started', 'waiting', 'waiting'],
    },
    'let the build succeed if all of its steps succeeded': {
      unnumbered: [...firstTwoSucceeded, ...putSucceeded, buildSucceeded],
      statuses: ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
      outcome: 'succeeded',
      reason: 'AllStepsSucceeded',
    },
    'do not let the build succeed without the end of a step': {
      unnumbered: [...firstTwoSucceeded, started('2'), buildSucceeded],
      statuses: ['failed', 'succeeded', 'succeeded', 'failed'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'do not let the build succeed if a step never began': {
      unnumbered: [...firstTwoSucceeded, buildSucceeded],
      statuses: ['failed', 'succeeded', 'succeeded', 'skipped'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'do not let a step succeed that never began': {
      unnumbered: [...firstTwoSucceeded, succeeded('2'), buildSucceeded],
      statuses: ['failed', 'succeeded', 'succeeded', 'skipped'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'do not let the build succeed with a skipped step': {
      unnumbered: [
        ...firstTwoSucceeded,
        { type: 'step-ended', step: '2', status: 'skipped' },
        buildSucceeded,
      ],
      statuses: ['failed', 'succeeded', 'succeeded', 'skipped'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'fail a step that is reported as succeeded with an exit code other than 0': {
      unnumbered: [started('0'), succeeded('0', { exitCode: 3 })],
      statuses: ['started', 'failed', 'waiting', 'waiting'],
    },
    'fail a step that is reported as succeeded although a signal ended it': {
      unnumbered: [started('0'), { type: 'step-ended', step: '0', status: 'succeeded', signal: 'SIGKILL' }],
      statuses: ['started', 'failed', 'waiting', 'waiting'],
    },
    'do not let a step succeed after it failed': {
      unnumbered: [
        started('0'),
        { type: 'step-ended', step: '0', status: 'failed', exitCode: 1 },
        started('0'),
        succeeded('0'),
      ],
      statuses: ['started', 'failed', 'waiting', 'waiting'],
    },
    'close the steps of a build that fails': {
      unnumbered: [started('0'), buildFailed],
      statuses: ['failed', 'failed', 'skipped', 'skipped'],
      outcome: 'failed',
      reason: 'StepFailed',
    },
    'cancel the running steps of a build that is cancelled': {
      unnumbered: [
        started('0'),
        { type: 'build-ended', outcome: 'cancelled', reason: 'Cancelled', message: '' },
      ],
      statuses: ['cancelled', 'cancelled', 'skipped', 'skipped'],
      outcome: 'cancelled',
      reason: 'Cancelled',
    },
    'change nothing after the end of the build': {
      unnumbered: [started('0'), buildFailed, ...firstTwoSucceeded, ...putSucceeded, buildSucceeded],
      statuses: ['failed', 'failed', 'skipped', 'skipped'],
      outcome: 'failed',
      reason: 'StepFailed',
    },
    'change nothing if their step is not in the plan': {
      unnumbered: [started('9'), { type: 'log', step: '9', text: 'x' }, succeeded('9')],
      statuses: ['pending', 'waiting', 'waiting', 'waiting'],
    },
  };

  test.each(Object.entries(cases))('%s', (_name, { unnumbered, statuses: expected, outcome, reason }) => {
    const applied = applyEvents(initialState, numbered(unnumbered));
    expect(statuses(applied.state)).toEqual(expected);
    expect(applied.state.applied).toBe(unnumbered.length);
    expect(applied.end?.outcome).toBe(outcome);
    expect(applied.end?.reason).toBe(reason);
  });

  test('return the logs, the version of a put and the start', () => {
    const unnumbered = [
      ...firstTwoSucceeded,
      { type: 'log', step: '1', text: 'hello' } satisfies EventWithoutNumber,
      ...putSucceeded,
    ];
    const applied = applyEvents(initialState, numbered(unnumbered));
    expect(applied.startedAt).toBe(AT);
    expect(applied.logs).toEqual([{ sequence: 5, step: '1', text: 'hello', at: AT }]);
    expect(applied.puts).toMatchObject([{ step: '2', version: { ref: 'a' } }]);
  });

  test('have no version of a step that is not a put, or of a put without fields', () => {
    const unnumbered = [
      started('1'),
      succeeded('1', { version: { ref: 'a' } }),
      started('2'),
      succeeded('2', { version: {} }),
    ];
    expect(applyEvents(initialState, numbered(unnumbered)).puts).toEqual([]);
  });

  test('are not applied after a gap', () => {
    const [first, , third] = numbered(firstTwoSucceeded);
    if (!first || !third) throw new Error('too few events');
    expect(applyEvents(initialState, [first, third]).state.applied).toBe(1);
  });

  test('give the same state in any order, cut or repeated', () => {
    const allEvents = numbered([
      ...firstTwoSucceeded,
      { type: 'log', step: '1', text: 'x' },
      ...putSucceeded,
      buildSucceeded,
    ]);
    const appliedAtOnce = applyEvents(initialState, allEvents);
    const cuts = fc.array(fc.tuple(fc.nat(allEvents.length), fc.nat(allEvents.length)), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (slices) => {
        let state = initialState;
        const logs: number[] = [];
        const puts: string[] = [];
        for (const [from, to] of [...slices, [0, allEvents.length] as const]) {
          const applied = applyEvents(
            state,
            allEvents.slice(Math.min(from, to), Math.max(from, to)).toReversed(),
          );
          state = applied.state;
          logs.push(...applied.logs.map((log) => log.sequence));
          puts.push(...applied.puts.map((put) => put.step));
        }
        expect(state).toEqual(appliedAtOnce.state);
        expect(logs).toEqual([5]);
        expect(puts).toEqual(['2']);
      }),
    );
  });

  test('never let a build succeed in any order if a step did not succeed', () => {
    const possibleEvents: EventWithoutNumber[] = [
      ...['0', '1', '2'].flatMap((step): EventWithoutNumber[] => [
        started(step),
        succeeded(step),
        { type: 'step-ended', step, status: 'failed', exitCode: 1 },
        { type: 'step-ended', step, status: 'cancelled' },
        { type: 'step-ended', step, status: 'skipped' },
      ]),
      buildSucceeded,
      buildFailed,
    ];
    const noise = fc.array(fc.tuple(fc.nat(12), fc.constantFrom(...possibleEvents)), { maxLength: 4 });
    const mostEvents = fc.subarray([...firstTwoSucceeded, ...putSucceeded], { minLength: 5 });
    let succeededRuns = 0;
    fc.assert(
      fc.property(mostEvents, noise, (presentEvents, addedEvents) => {
        const unnumbered = [...presentEvents, buildSucceeded];
        for (const [position, event] of addedEvents) unnumbered.splice(position, 0, event);
        const { state } = applyEvents(initialState, numbered(unnumbered));
        if (state.status !== 'succeeded') return;
        succeededRuns += 1;
        const before = unnumbered.slice(0, unnumbered.indexOf(buildSucceeded));
        for (const step of ['0', '1', '2']) {
          const stepEvents = before.filter((event) => event.type !== 'build-ended' && event.step === step);
          const begin = stepEvents.findIndex((event) => event.type === 'step-started');
          const end = stepEvents.find((event, index) => event.type === 'step-ended' && index > begin);
          expect(begin).toBeGreaterThanOrEqual(0);
          expect(end).toMatchObject({ status: 'succeeded' });
        }
      }),
      { numRuns: 500 },
    );
    expect(succeededRuns).toBeGreaterThan(0);
  });
});

test('closing a build leaves no step open and changes no step that has ended', () => {
  const running = applyEvents(initialState, numbered([started('0')])).state;
  const closed = closeBuild(running, 'failed', AT);
  expect(statuses(closed)).toEqual(['failed', 'failed', 'skipped', 'skipped']);
  expect(closeBuild(closed, 'cancelled', AT)).toBe(closed);
});

const log = (text: string): EventWithoutNumber => ({ type: 'log', step: '0', text });
const almostFull = (spareBytes: number): BuildState => ({
  ...initialState,
  logBytes: DEFAULT_LOG_BYTES - spareBytes,
});
const texts = (state: BuildState, ...lines: string[]): string[] =>
  applyEvents(state, numbered([started('0'), ...lines.map(log)])).logs.map(({ text }) => text);

describe('the log of a build', () => {
  test.each<[string, number, string[], string[]]>([
    ['takes text that fits to the last byte', 70, ['x'.repeat(70)], ['x'.repeat(70)]],
    [
      'is cut once at the limit, with a line that says so',
      70,
      ['x'.repeat(71), 'more'],
      [`${'x'.repeat(70)}\n${LOG_CUT_LINE}\n`],
    ],
    [
      'counts bytes, and cuts no character in two',
      70,
      ['ä'.repeat(34) + '€€'],
      [`${'ä'.repeat(34)}\n${LOG_CUT_LINE}\n`],
    ],
    [
      'counts the cost of each row, even for little text',
      128,
      ['a', 'b', 'c'],
      ['a', 'b', `\n${LOG_CUT_LINE}\n`],
    ],
    ['stores no row without text', 70, ['', '', 'a'], ['a']],
    ['stores nothing after it was cut', -1, ['a'], []],
  ])('%s', (_name, spareBytes, lines, stored) =>
    expect(texts(almostFull(spareBytes), ...lines)).toEqual(stored),
  );

  test('is cut at the limit of the installation instead of the default', () => {
    const unnumbered = numbered([started('0'), log('x'.repeat(300)), log('more')]);
    expect(applyEvents(initialState, unnumbered, 200).logs.map(({ text }) => text)).toEqual([
      `${'x'.repeat(200)}\n${LOG_CUT_LINE}\n`,
    ]);
  });

  test('does not grow above the limit if its agent sends more, and every event is applied', () => {
    const flood = Array.from({ length: 70 }, () => log('x'.repeat(1024 * 1024)));
    const { state, logs } = applyEvents(initialState, numbered([started('0'), ...flood, succeeded('0')]));
    const storedLength = logs.reduce((sum, { text }) => sum + text.length, 0);
    expect(storedLength).toBe(DEFAULT_LOG_BYTES + LOG_CUT_LINE.length + 2);
    expect(state.applied).toBe(72);
    expect(state.steps[0]?.status).toBe('succeeded');
  });
});

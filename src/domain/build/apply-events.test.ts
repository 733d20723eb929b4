import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { applyEvents, closeBuild, newBuildState } from './apply-events.ts';
import type { BuildState } from './build-state.ts';
import type { BuildEvent } from './events.ts';
import { DEFAULT_LOG_BYTES, LOG_CUT_LINE } from './log-limit.ts';

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence' | 'at'> : never;
type EventWithoutNumber = Unnumbered<BuildEvent>;

const AT = '2026-01-01T00:00:00Z';
const opened = newBuildState([
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
const won: EventWithoutNumber = {
  type: 'build-ended',
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All.',
};
const lost: EventWithoutNumber = {
  type: 'build-ended',
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'Step unit.',
};
const good = ['0', '1'].flatMap((step) => [started(step), succeeded(step)]);
const pushed = [started('2'), succeeded('2', { version: { ref: 'a' } })];

function statuses(state: BuildState): string[] {
  return [state.status, ...state.steps.map((step) => step.status)];
}

describe('the events of a build', () => {
  const cases: Record<
    string,
    { unnumbered: EventWithoutNumber[]; statuses: string[]; outcome?: string; reason?: string }
  > = {
    'leave it unchanged if there are none': {
      unnumbered: [],
      statuses: ['pending', 'waiting', 'waiting', 'waiting'],
    },
    'start it with its first step': {
      unnumbered: [started('0')],
      statuses: ['started', 'started', 'waiting', 'waiting'],
    },
    'let it succeed if all of its steps succeeded': {
      unnumbered: [...good, ...pushed, won],
      statuses: ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
      outcome: 'succeeded',
      reason: 'AllStepsSucceeded',
    },
    'do not let it succeed without the end of a step': {
      unnumbered: [...good, started('2'), won],
      statuses: ['failed', 'succeeded', 'succeeded', 'failed'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'do not let it succeed without a step that never began': {
      unnumbered: [...good, won],
      statuses: ['failed', 'succeeded', 'succeeded', 'skipped'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'do not let a step succeed that never began': {
      unnumbered: [...good, succeeded('2'), won],
      statuses: ['failed', 'succeeded', 'succeeded', 'skipped'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'do not let it succeed with a skipped step': {
      unnumbered: [...good, { type: 'step-ended', step: '2', status: 'skipped' }, won],
      statuses: ['failed', 'succeeded', 'succeeded', 'skipped'],
      outcome: 'failed',
      reason: 'AgentFault',
    },
    'fail it if a step succeeded with another exit code than 0': {
      unnumbered: [started('0'), succeeded('0', { exitCode: 3 })],
      statuses: ['started', 'failed', 'waiting', 'waiting'],
    },
    'fail it if a step succeeded that a signal ended': {
      unnumbered: [started('0'), { type: 'step-ended', step: '0', status: 'succeeded', signal: 'SIGKILL' }],
      statuses: ['started', 'failed', 'waiting', 'waiting'],
    },
    'do not let it succeed after it failed': {
      unnumbered: [
        started('0'),
        { type: 'step-ended', step: '0', status: 'failed', exitCode: 1 },
        started('0'),
        succeeded('0'),
      ],
      statuses: ['started', 'failed', 'waiting', 'waiting'],
    },
    'close its steps when it fails': {
      unnumbered: [started('0'), lost],
      statuses: ['failed', 'failed', 'skipped', 'skipped'],
      outcome: 'failed',
      reason: 'StepFailed',
    },
    'cancel its running steps when it is cancelled': {
      unnumbered: [
        started('0'),
        { type: 'build-ended', outcome: 'cancelled', reason: 'Cancelled', message: '' },
      ],
      statuses: ['cancelled', 'cancelled', 'skipped', 'skipped'],
      outcome: 'cancelled',
      reason: 'Cancelled',
    },
    'change nothing after its end': {
      unnumbered: [started('0'), lost, ...good, ...pushed, won],
      statuses: ['failed', 'failed', 'skipped', 'skipped'],
      outcome: 'failed',
      reason: 'StepFailed',
    },
    'do not count for unplanned steps': {
      unnumbered: [started('9'), { type: 'log', step: '9', text: 'x' }, succeeded('9')],
      statuses: ['pending', 'waiting', 'waiting', 'waiting'],
    },
  };

  test.each(Object.entries(cases))('%s', (_name, { unnumbered, statuses: expected, outcome, reason }) => {
    const applied = applyEvents(opened, numbered(unnumbered));
    expect(statuses(applied.state)).toEqual(expected);
    expect(applied.state.applied).toBe(unnumbered.length);
    expect(applied.end?.outcome).toBe(outcome);
    expect(applied.end?.reason).toBe(reason);
  });

  test('return the logs, the version of a put and the start', () => {
    const unnumbered = [
      ...good,
      { type: 'log', step: '1', text: 'hello' } satisfies EventWithoutNumber,
      ...pushed,
    ];
    const applied = applyEvents(opened, numbered(unnumbered));
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
    expect(applyEvents(opened, numbered(unnumbered)).puts).toEqual([]);
  });

  test('are not applied after a gap', () => {
    const [first, , third] = numbered(good);
    if (!first || !third) throw new Error('too few events');
    expect(applyEvents(opened, [first, third]).state.applied).toBe(1);
  });

  test('give the same state in any order, cut or repeated', () => {
    const all = numbered([...good, { type: 'log', step: '1', text: 'x' }, ...pushed, won]);
    const whole = applyEvents(opened, all);
    const cuts = fc.array(fc.tuple(fc.nat(all.length), fc.nat(all.length)), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (pieces) => {
        let state = opened;
        const logs: number[] = [];
        const puts: string[] = [];
        for (const [from, to] of [...pieces, [0, all.length] as const]) {
          const applied = applyEvents(state, all.slice(Math.min(from, to), Math.max(from, to)).toReversed());
          state = applied.state;
          logs.push(...applied.logs.map((log) => log.sequence));
          puts.push(...applied.puts.map((put) => put.step));
        }
        expect(state).toEqual(whole.state);
        expect(logs).toEqual([5]);
        expect(puts).toEqual(['2']);
      }),
    );
  });

  test('never let a build succeed in any order if a step did not succeed', () => {
    const any: EventWithoutNumber[] = [
      ...['0', '1', '2'].flatMap((step): EventWithoutNumber[] => [
        started(step),
        succeeded(step),
        { type: 'step-ended', step, status: 'failed', exitCode: 1 },
        { type: 'step-ended', step, status: 'cancelled' },
        { type: 'step-ended', step, status: 'skipped' },
      ]),
      won,
      lost,
    ];
    const noise = fc.array(fc.tuple(fc.nat(12), fc.constantFrom(...any)), { maxLength: 4 });
    const remaining = fc.subarray([...good, ...pushed], { minLength: 5 });
    let green = 0;
    fc.assert(
      fc.property(remaining, noise, (unchanged, added) => {
        const unnumbered = [...unchanged, won];
        for (const [position, event] of added) unnumbered.splice(position, 0, event);
        const { state } = applyEvents(opened, numbered(unnumbered));
        if (state.status !== 'succeeded') return;
        green += 1;
        const before = unnumbered.slice(0, unnumbered.indexOf(won));
        for (const step of ['0', '1', '2']) {
          const words = before.filter((event) => event.type !== 'build-ended' && event.step === step);
          const begin = words.findIndex((event) => event.type === 'step-started');
          const end = words.find((event, index) => event.type === 'step-ended' && index > begin);
          expect(begin).toBeGreaterThanOrEqual(0);
          expect(end).toMatchObject({ status: 'succeeded' });
        }
      }),
      { numRuns: 500 },
    );
    expect(green).toBeGreaterThan(0);
  });
});

test('closing a build leaves no step open and changes no step that has ended', () => {
  const running = applyEvents(opened, numbered([started('0')])).state;
  const closed = closeBuild(running, 'failed', AT);
  expect(statuses(closed)).toEqual(['failed', 'failed', 'skipped', 'skipped']);
  expect(closeBuild(closed, 'cancelled', AT)).toBe(closed);
});

const log = (text: string): EventWithoutNumber => ({ type: 'log', step: '0', text });
const almostFull = (remaining: number): BuildState => ({
  ...opened,
  logBytes: DEFAULT_LOG_BYTES - remaining,
});
const texts = (state: BuildState, ...lines: string[]): string[] =>
  applyEvents(state, numbered([started('0'), ...lines.map(log)])).logs.map(({ text }) => text);

describe('the log of a build', () => {
  test.each<[string, number, string[], string[]]>([
    ['takes text that fits to the last byte', 70, ['x'.repeat(70)], ['x'.repeat(70)]],
    [
      'ends once with a line that says so',
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
      'counts a row with its cost, even for little text',
      128,
      ['a', 'b', 'c'],
      ['a', 'b', `\n${LOG_CUT_LINE}\n`],
    ],
    ['stores no row without text', 70, ['', '', 'a'], ['a']],
    ['stays cut', -1, ['a'], []],
  ])('%s', (_name, remaining, lines, unchanged) =>
    expect(texts(almostFull(remaining), ...lines)).toEqual(unchanged),
  );

  test('ends at the limit of the installation if that has another one', () => {
    const unnumbered = numbered([started('0'), log('x'.repeat(300)), log('more')]);
    expect(applyEvents(opened, unnumbered, 200).logs.map(({ text }) => text)).toEqual([
      `${'x'.repeat(200)}\n${LOG_CUT_LINE}\n`,
    ]);
  });

  test('does not grow above the limit if its agent has none, and every event is acknowledged', () => {
    const flood = Array.from({ length: 70 }, () => log('x'.repeat(1024 * 1024)));
    const { state, logs } = applyEvents(opened, numbered([started('0'), ...flood, succeeded('0')]));
    const unchanged = logs.reduce((sum, { text }) => sum + text.length, 0);
    expect(unchanged).toBe(DEFAULT_LOG_BYTES + LOG_CUT_LINE.length + 2);
    expect(state.applied).toBe(72);
    expect(state.steps[0]?.status).toBe('succeeded');
  });
});

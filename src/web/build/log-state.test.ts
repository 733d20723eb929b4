import { describe, expect, test } from '@jest/globals';
import { BuildLog, sectionKeyOf } from './build-log.ts';
import { anchorAt, linesBetween, rowOfAnchor, sectionsBetween } from './log-layout.ts';
import { logSectionsOf, opensAtFirst, type ShownBuild } from './log-sections.ts';
import { LogState } from './log-state.ts';

const AT = '2026-11-26T12:00:00.000Z';
const NO_WRAP = Number.POSITIVE_INFINITY;

type ShownStep = ShownBuild['steps'][number];

const step = (id: string, status: string, more: Partial<ShownStep> = {}): ShownStep => ({
  id,
  kind: 'task',
  name: `t${id}`,
  status,
  ...more,
});
const build = (steps: ShownStep[], more: Partial<ShownBuild> = {}): ShownBuild => ({
  status: 'started',
  attempt: 1,
  steps,
  ...more,
});
let sequence = 0;
const chunk = (name: string, text: string, attempt = 1) => ({
  attempt,
  sequence: (sequence += 1),
  step: name,
  text,
  at: AT,
});

function logOf(...chunks: ReturnType<typeof chunk>[]): BuildLog {
  const log = new BuildLog();
  for (const logChunk of chunks) log.append(logChunk);
  return log;
}
const titles = (log: BuildLog, shownBuild?: ShownBuild): string[] =>
  logSectionsOf(log, shownBuild).map(({ title, status = '–' }) => `${title} ${status}`);

describe('the sections of a log', () => {
  test('are the steps that have begun, in the order of the plan, not of their first lines', () => {
    const log = logOf(chunk('2', 'later\n'), chunk('1', 'a\n'));
    const steps = [step('0', 'succeeded'), step('1', 'started'), step('2', 'started', { hook: 'ensure' })];
    expect(titles(log, build([...steps, step('3', 'waiting')]))).toEqual([
      'task t0 succeeded',
      'task t1 started',
      'ensure task t2 started',
    ]);
  });

  test('do not include a group without a log', () => {
    const group = step('0', 'started', { kind: 'parallel' });
    expect(titles(logOf(), build([group, step('0.0', 'started', { parent: '0' })]))).toEqual([
      'task t0.0 started',
    ]);
  });

  test('are separate for each attempt of the build, and only the last has a status', () => {
    const log = logOf(chunk('0', 'first\n'), chunk('0', 'second\n', 2));
    expect(titles(log, build([step('0', 'failed')], { attempt: 2 }))).toEqual([
      'task t0, attempt 1 –',
      'task t0, attempt 2 failed',
    ]);
    expect([sectionKeyOf(1, '0'), sectionKeyOf(2, '0')]).toEqual(['step-0', 'step-0@2']);
  });

  test('have the id of the step as title if the build does not list the step', () => {
    expect(titles(logOf(chunk('x', 'a\n')), undefined)).toEqual(['x –']);
  });

  test.each([
    { title: 'a running step of a build that is watched', status: 'started', hadEnded: false, open: true },
    { title: 'a step that succeeded while it was watched', status: 'succeeded', hadEnded: false, open: true },
    { title: 'a failed step of an ended build', status: 'failed', hadEnded: true, open: true },
    { title: 'a cancelled step of an ended build', status: 'cancelled', hadEnded: true, open: true },
    { title: 'a succeeded step of an ended build', status: 'succeeded', hadEnded: true, open: false },
    { title: 'a step of an earlier attempt', hadEnded: true, open: false },
    { title: 'the only step of an ended build', status: 'succeeded', count: 1, hadEnded: true, open: true },
  ])('are open at first for $title: $open', ({ status, count = 3, hadEnded, open }) => {
    expect(opensAtFirst(status === undefined ? {} : { status }, count, hadEnded)).toBe(open);
  });
});

describe('the memory of a log', () => {
  const line = `${'x'.repeat(99)}\n`;

  test.each([
    ['bytes', { lines: 1_000_000, bytes: 500_000 }],
    ['lines', { lines: 5000, bytes: 1_000_000_000 }],
  ])('is bounded by %s: the oldest lines are dropped first, whichever step wrote them', (_, limits) => {
    const log = new BuildLog(limits);
    for (let count = 0; count < 20; count += 1)
      log.append(chunk(count < 10 ? 'old' : 'new', line.repeat(1000)));
    const [old, recent] = log.steps.map(({ lines }) => lines);
    expect([old?.end, recent?.end]).toEqual([10_000, 10_000]);
    expect(old?.first).toBeGreaterThan(8000);
    const stored = log.steps.reduce((sum, { lines }) => sum + lines.end - lines.first, 0);
    expect(stored).toBeLessThan(7000);
    expect(recent?.line(9999).text).toBe('x'.repeat(99));
  });

  test('ignores a chunk that arrives again', () => {
    const repeated = chunk('0', 'once\n');
    expect(logOf(repeated, repeated).steps[0]?.lines.end).toBe(1);
  });
});

function stateOf(text: string, ...more: ReturnType<typeof chunk>[]): LogState {
  const state = new LogState(() => undefined);
  state.begin(build([step('0', 'started'), step('1', 'started')]));
  for (const logChunk of [chunk('1', text), ...more])
    state.append({ ...logChunk, sequence: (sequence += 1) });
  return state;
}

describe('the layout of a log', () => {
  test('has two rows for each header and the rows of open sections', () => {
    const state = stateOf('a\nb\nc\n');
    expect(state.layoutAt(NO_WRAP).sections.map(({ top, rows }) => [top, rows])).toEqual([
      [0, 2],
      [2, 5],
    ]);
    state.fold('step-1', false);
    expect(state.layoutAt(NO_WRAP).rows).toBe(4);
    state.foldAll(true);
    expect(state.layoutAt(1).rows).toBe(7);
  });

  test('has all lines between two rows, and wrapped lines as a whole', () => {
    const state = stateOf(`${'x'.repeat(25)}\nb\n`);
    const layout = state.layoutAt(10);
    const [placed] = sectionsBetween(layout, 5, 6);
    expect(placed && linesBetween(placed, { from: 5, to: 6, columns: 10 })).toEqual([
      { line: 0, top: 2, rows: 3 },
    ]);
    expect(placed && linesBetween(placed, { from: 6, to: 100, columns: 10 }).map(({ line }) => line)).toEqual(
      [0, 1],
    );
  });

  test('finds the line that was at a row again after another section has grown', () => {
    const state = stateOf('a\nb\nc\n');
    const anchor = anchorAt(state.layoutAt(NO_WRAP), 5.5);
    expect(anchor).toEqual({ key: 'step-1', line: 1, offset: 0.5 });
    state.append(chunk('0', 'x\n'.repeat(100)));
    expect(anchor && rowOfAnchor(state.layoutAt(NO_WRAP), anchor)).toBe(105.5);
    state.fold('step-1', false);
    expect(anchor && rowOfAnchor(state.layoutAt(NO_WRAP), anchor)).toBe(102);
  });
});

describe('the search in a log', () => {
  test('finds lines in any case, in the order of the page, while the log grows', () => {
    const state = stateOf('A needle\nb\nNeed', chunk('0', 'needle first\n'));
    state.searchFor('NEEDLE');
    expect([state.search.count, state.search.at(0), state.search.at(1)]).toEqual([
      2,
      { key: 'step-0', line: 0 },
      { key: 'step-1', line: 0 },
    ]);
    state.append(chunk('1', 'le end\n'));
    state.continueSearch();
    expect(state.search.count).toBe(3);
  });

  test('goes from the line that the viewer sees to the next match, then from the last to the first', () => {
    const state = stateOf('x\nneedle\n', chunk('0', 'needle\n'));
    state.foldAll(false);
    state.searchFor('needle');
    state.goToFound(1, { key: 'step-1', line: 0 });
    expect([state.current, state.target]).toEqual([
      { key: 'step-1', line: 1 },
      { key: 'step-1', first: 2, focus: false },
    ]);
    expect(state.sections.map((section) => state.isOpen(section))).toEqual([false, true]);
    state.goToFound(1, undefined);
    expect(state.current).toEqual({ key: 'step-0', line: 0 });
    state.goToFound(-1, undefined);
    expect(state.current).toEqual({ key: 'step-1', line: 1 });
  });

  test('finds nothing if the query is empty', () => {
    const state = stateOf('a\n');
    state.searchFor('');
    state.goToFound(1, undefined);
    expect([state.search.count, state.current]).toEqual([0, undefined]);
  });
});

test('the page of a failed build shows the end of the log of the failed step', () => {
  const state = new LogState(() => undefined);
  state.begin(build([step('0', 'succeeded'), step('1', 'failed')], { status: 'failed', ended_at: AT }));
  state.append(chunk('1', 'a\nerror\n'));
  state.complete();
  expect(state.target).toEqual({ key: 'step-1', first: 2, focus: false });
});

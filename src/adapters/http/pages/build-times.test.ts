import { expect, test } from '@jest/globals';
import { timeSpans } from './build-times.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 26, 12, 0, second));
const stepAt = (from: number, to?: number) => ({
  id: '0',
  kind: 'task' as const,
  name: 'unit',
  status: 'started' as const,
  startedAt: at(from).toISOString(),
  ...(to !== undefined && { endedAt: at(to).toISOString() }),
});

/** Name, begin and end in seconds; `…`: it goes on. */
function shown(...of: Parameters<typeof timeSpans>): string[] {
  return timeSpans(...of).map(({ name, from, to, isRunning }) =>
    [name, from.getUTCSeconds(), to.getUTCSeconds(), ...(isRunning ? ['…'] : [])].join(' '),
  );
}

const BEGUN = { createdAt: at(0), admittedAt: at(5), podCreatedAt: at(6) };

test('a pending build waits for its turn', () => {
  expect(shown({ createdAt: at(0), steps: [] }, at(9))).toEqual(['Waiting for its turn 0 9 …']);
});

test('a starting build waits for its Pod', () => {
  expect(shown({ ...BEGUN, steps: [] }, at(9))).toEqual([
    'Waiting for its turn 0 5',
    'Waiting for its Pod 5 6',
    'Pod: node, images, start 6 9 …',
  ]);
});

test('the steps of an ended build have their own times, those that did not run have none', () => {
  const steps = [
    {
      id: '0',
      kind: 'parallel' as const,
      name: 'in_parallel',
      status: 'started' as const,
      startedAt: at(8).toISOString(),
    },
    { ...stepAt(9, 20), hook: 'ensure' as const },
    stepAt(8, 12),
    { id: '1', kind: 'put' as const, name: 'app', status: 'skipped' as const },
  ];
  expect(shown({ ...BEGUN, startedAt: at(8), endedAt: at(21), steps }, at(50))).toEqual([
    'Waiting for its turn 0 5',
    'Waiting for its Pod 5 6',
    'Pod: node, images, start 6 8',
    'task unit 8 12',
    'ensure task unit 9 20',
  ]);
});

test('a running step has its time so far', () => {
  const spans = timeSpans({ ...BEGUN, startedAt: at(8), steps: [stepAt(8)] }, at(30));
  expect(spans.at(-1)).toMatchObject({ name: 'task unit', to: at(30), isRunning: true });
});

test('times that do not fit together are left out: another attempt wrote one of them', () => {
  expect(
    shown({ ...BEGUN, podCreatedAt: at(20), startedAt: at(8), endedAt: at(30), steps: [] }, at(40)),
  ).toEqual(['Waiting for its turn 0 5', 'Waiting for its Pod 5 20']);
});

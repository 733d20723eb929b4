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

/** Name, begin and end of each span in seconds. `…`: the span has not ended. */
function describeSpans(...args: Parameters<typeof timeSpans>): string[] {
  return timeSpans(...args).map(({ name, from, to, isRunning }) =>
    [name, from.getUTCSeconds(), to.getUTCSeconds(), ...(isRunning ? ['…'] : [])].join(' '),
  );
}

const WITH_POD = { createdAt: at(0), admittedAt: at(5), podCreatedAt: at(6) };

test('a pending build waits for its turn', () => {
  expect(describeSpans({ createdAt: at(0), steps: [] }, at(9))).toEqual(['Waiting for its turn 0 9 …']);
});

test('a starting build waits for its Pod', () => {
  expect(describeSpans({ ...WITH_POD, steps: [] }, at(9))).toEqual([
    'Waiting for its turn 0 5',
    'Waiting for its Pod 5 6',
    'Pod: node, images, start 6 9 …',
  ]);
});

test('the steps of an ended build have their own times, except for those that did not run', () => {
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
  expect(describeSpans({ ...WITH_POD, startedAt: at(8), endedAt: at(21), steps }, at(50))).toEqual([
    'Waiting for its turn 0 5',
    'Waiting for its Pod 5 6',
    'Pod: node, images, start 6 8',
    'task unit 8 12',
    'ensure task unit 9 20',
  ]);
});

test('a running step has its time so far', () => {
  const spans = timeSpans({ ...WITH_POD, startedAt: at(8), steps: [stepAt(8)] }, at(30));
  expect(spans.at(-1)).toMatchObject({ name: 'task unit', to: at(30), isRunning: true });
});

const OBSERVED_POD = { ...WITH_POD, podScheduledAt: at(7), containersStartedAt: at(11) };
test.each<[string, Partial<Parameters<typeof timeSpans>[0]>, string[]]>([
  [
    'a Pod whose times were observed has its parts',
    { ...OBSERVED_POD, startedAt: at(12) },
    ['Pod: scheduling 6 7', 'Pod: images 7 11', 'Pod: start 11 12'],
  ],
  [
    'a Pod that needed no time for its node and its images has parts without length',
    { ...OBSERVED_POD, podScheduledAt: at(6), containersStartedAt: at(6), startedAt: at(12) },
    ['Pod: scheduling 6 6', 'Pod: images 6 6', 'Pod: start 6 12'],
  ],
  [
    'a build that ends while an image is missing spent the rest of its time on images',
    { ...WITH_POD, podScheduledAt: at(7) },
    ['Pod: scheduling 6 7', 'Pod: images, start 7 20'],
  ],
  [
    'if the containers started after the first step, by another clock, images and start are one part',
    { ...OBSERVED_POD, startedAt: at(10) },
    ['Pod: scheduling 6 7', 'Pod: images, start 7 10'],
  ],
  [
    'if the node was assigned after the first step, by another clock, the Pod has one part',
    { ...OBSERVED_POD, podScheduledAt: at(11), startedAt: at(10) },
    ['Pod: node, images, start 6 10'],
  ],
  [
    'a warm Pod has neither a wait for a node nor one for images',
    { ...WITH_POD, warmPod: true, startedAt: at(7) },
    ['Warm Pod: start 6 7'],
  ],
])('%s', (_, times, parts) => {
  const build = { createdAt: at(0), endedAt: at(20), steps: [], ...times };
  expect(describeSpans(build, at(50)).slice(2)).toEqual(parts);
});

test('times that do not fit together, because another attempt wrote one of them, are left out', () => {
  expect(
    describeSpans(
      { ...WITH_POD, podCreatedAt: at(20), startedAt: at(8), endedAt: at(30), steps: [] },
      at(40),
    ),
  ).toEqual(['Waiting for its turn 0 5', 'Waiting for its Pod 5 20']);
});

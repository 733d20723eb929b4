import { describe, expect, test } from '@jest/globals';
import { checksMs, eventBatches, resultsOf, versionAt } from './answers.ts';

const check = (scope: string) => ({
  scope,
  resource: `git.r${scope}`,
  command: { container: 'worker', argv: ['sh'] },
  env: {},
  timeoutSeconds: 300,
});
const run = (count: number) => ({ checks: Array.from({ length: count }, (_, n) => check(String(n + 1))) });

describe('the checks of a Pod', () => {
  test.each([
    ['no checks take no time', 0, 0],
    ['four run in parallel', 4, 200],
    ['the fifth starts when the first has ended', 5, 400],
  ])('%s', (_sentence, count, ms) => {
    expect(checksMs(run(count), 200)).toBe(ms);
  });

  test.each([
    ['none: one empty request ends the run', 0, [0]],
    ['few fit into the last request', 3, [3]],
    ['more go four at a time, and only the last request ends the run', 9, [4, 4, 1]],
  ])('%s', (_sentence, count, sizes) => {
    const requests = resultsOf(run(count), { now: 0, everyMs: 1000 });
    expect(requests.map(({ results }) => results.length)).toEqual(sizes);
    expect(requests.map(({ done }) => done)).toEqual(sizes.map((_, index) => index === sizes.length - 1));
    const scopes = requests.flatMap(({ results }) => results.map(({ scope }) => scope));
    expect(scopes).toEqual(run(count).checks.map(({ scope }) => scope));
  });
});

test('each resource has the same version for its period and changes at a different time', () => {
  const changes = ['1', '2', '3'].map((scope) => {
    const seen = Array.from({ length: 100 }, (_, second) => versionAt(scope, second * 1000, 100_000)['ref']);
    expect(new Set(seen).size).toBe(2);
    return seen.findIndex((ref) => ref !== seen[0]);
  });
  expect(new Set(changes).size).toBe(3);
});

test('a build reports its steps in order, numbers its events without gaps, and succeeds', () => {
  const step = { env: {}, name: 'x' };
  const steps = [
    { ...step, id: '0', kind: 'task' as const },
    { ...step, id: '1', kind: 'put' as const, params: { tag: 'v1' } },
  ];
  let clock = 0;
  const batches = [...eventBatches({ steps }, () => `at ${(clock += 1)}`)];
  const events = batches.flatMap((batch) => batch.events);
  expect(batches.map(({ stepRuns }) => stepRuns)).toEqual([true, true, false]);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ type, ...event }) => `${type} ${'step' in event ? event.step : ''}`.trim())).toEqual([
    'step-started 0',
    'log 0',
    'step-ended 0',
    'step-started 1',
    'log 1',
    'step-ended 1',
    'build-ended',
  ]);
  expect(events[5]).toMatchObject({ status: 'succeeded', exitCode: 0, version: { tag: 'v1' } });
  expect(events[6]).toMatchObject({ outcome: 'succeeded', at: 'at 7' });
});

import { describe, expect, test } from '@jest/globals';
import { nodeStyles } from '#domain/graph/node-style.ts';
import type { JobState } from '#domain/graph/state.ts';
import { itemsOf, nameOfItem, type LaidOutNode } from './laid-out-graph.ts';

const job = (...jobs: string[]): LaidOutNode => ({ kind: 'job', id: `job ${jobs[0]}`, jobs, x: 100, y: 100 });
const RESOURCE: LaidOutNode = {
  kind: 'resource',
  id: 'resource git.app',
  resource: 'git.app',
  role: 'entry',
  after: [],
  x: 0,
  y: 0,
};

function draw(nodes: LaidOutNode[], jobs: Record<string, JobState> = {}) {
  const state = { jobs: new Map(Object.entries(jobs)), resources: new Map() };
  return itemsOf(nodes, nodeStyles({ nodes, edges: [] }, state));
}

describe('the items of a graph', () => {
  test('are its nodes, each with its job or resource and a name for screen readers', () => {
    const { items, frames } = draw([RESOURCE, job('unit')], { unit: { paused: false, doing: 'started' } });
    expect(frames).toEqual([]);
    expect(items.map(({ target }) => target)).toEqual([{ resource: 'git.app' }, { job: 'unit' }]);
    expect(items.map(nameOfItem)).toEqual(['resource git.app', 'unit: running']);
  });

  test('are the rows of a compact node, in a frame', () => {
    const { items, frames } = draw([job('one', 'two')]);
    expect(frames.map(({ node }) => node)).toEqual(['job one']);
    expect(items.map(({ row, target }) => [row, target])).toEqual([
      [0, { job: 'one' }],
      [1, { job: 'two' }],
    ]);
    expect(new Set(items.map(({ key }) => key)).size).toBe(2);
  });

  test('have one last row for all jobs without a row', () => {
    const names = Array.from({ length: 15 }, (_, index) => `job-${index}`);
    const last = draw([job(...names)]).items.at(-1);
    expect(last?.target).toEqual({ jobs: names.slice(11) });
    expect(last?.tile.label?.text).toBe('and 4 more');
  });
});

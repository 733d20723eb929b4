import { expect, test } from '@jest/globals';
import { rowOf } from './box.ts';
import type { JobNode } from './graph.ts';
import type { NodeStyle, Style, Tone } from './node-style.ts';
import { tilesOf } from './tiles.ts';

const jobs = Array.from({ length: 15 }, (_, index) => `job${index}`);
const node: JobNode = { id: 'jobs', kind: 'job', jobs };
const LAST_ROW = rowOf(node, jobs.length - 1);

/**
 * The tone of the row `and 4 more`. `hidden`: the styles of the jobs in it. Of the jobs with a row, the first
 * failed.
 */
function toneOfLastRow(hidden: readonly Partial<Style>[]): Tone | undefined {
  const rows = jobs.map((job, index): Style => {
    const plain: Style = { tone: 'succeeded', dashed: false, pinned: false, faded: false, title: job };
    const failed = index === 0 ? { tone: 'failed' as const } : {};
    return { ...plain, ...failed, ...hidden[index - LAST_ROW] };
  });
  const style: NodeStyle = {
    tone: 'failed',
    dashed: false,
    pinned: false,
    faded: false,
    title: 'jobs',
    rows,
  };
  const tile = tilesOf(node, style, { x: 0, y: 0 }).at(-1);
  expect(tile?.label?.text).toBe('and 4 more');
  return tile?.tone;
}

test.each<[string, Partial<Style>[], Tone]>([
  ['the tone succeeded if all jobs without a row succeeded', [], 'succeeded'],
  ['the worst tone of the jobs without a row', [{}, { tone: 'waiting' }, { tone: 'warning' }], 'warning'],
  ['the worst tone of the node if a job without a row has it', [{}, {}, {}, { tone: 'failed' }], 'failed'],
  [
    'the worst tone of its jobs on the path of a version',
    [{ tone: 'idle', faded: true }, { tone: 'succeeded' }],
    'succeeded',
  ],
  [
    'the worst tone of all its jobs if none of them is on the path',
    Array.from({ length: 4 }, (_, index) => ({ tone: index === 2 ? 'paused' : 'succeeded', faded: true })),
    'paused',
  ],
])('the last row of a large compact node has %s', (_, hidden, tone) => {
  expect(toneOfLastRow(hidden)).toBe(tone);
});

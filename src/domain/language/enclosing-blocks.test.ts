import { describe, expect, test } from '@jest/globals';
import { diagnose } from './diagnostic.ts';
import { nameBlocks } from './enclosing-blocks.ts';
import type { Block, Body, Range } from './syntax.ts';

const at = (byte: number): Range['start'] => ({ line: 1, column: byte + 1, byte });
const range = (start: number, end: number): Range => ({ start: at(start), end: at(end) });

/** A block from `start` to `end`. Its type takes ten bytes, and each label ten more. */
function block(
  [start, end]: [start: number, end: number],
  [type = '', ...labels]: string[],
  items: Block[] = [],
): Block {
  const head = start + 10 * (labels.length + 1);
  return {
    kind: 'block',
    type,
    typeRange: range(start, start + 10),
    labels: labels.map((text, index) => ({
      text,
      range: range(start + 10 * (index + 1), start + 10 * (index + 2)),
    })),
    range: range(start, head),
    body: { range: range(head, end), items },
  };
}

const put = block([300, 400], ['put', 'git', 'app']);
const hook = block([200, 500], ['on_failure'], [put]);
const task = block([100, 600], ['task', 'build'], [block([130, 190], ['run', 'shell']), hook]);
const job = block([0, 1000], ['job', 'a'], [task, block([700, 800], ['if', 'x == y'])]);
const body: Body = {
  range: range(0, 3000),
  items: [
    job,
    block([1000, 1100], ['jobb', 'b']),
    block([1200, 1300], ['job']),
    block([2000, 2100], ['variable', `${'x'.repeat(60)}${'y'.repeat(60)}`]),
  ],
};

describe('the blocks around a position', () => {
  test.each<[string, Range, string[] | undefined]>([
    ['in a job are the job', range(50, 60), ['job "a"']],
    ['in a step are the job and the step', range(110, 590), ['job "a"', 'task "build"']],
    ['in the command of a step are the job and the step', range(155, 160), ['job "a"', 'task "build"']],
    ['in a step of a hook are the job and the step', range(350, 351), ['job "a"', 'put "git" "app"']],
    ['in the type of a step are the job and the step', range(100, 110), ['job "a"', 'task "build"']],
    ['in the name of a step are only the job', range(110, 120), ['job "a"']],
    ['in both labels of a step are only the job', range(310, 330), ['job "a"']],
    ['in the name of a job are none', range(10, 20), undefined],
    ['in a branch are only the job', range(750, 760), ['job "a"']],
    ['across the end of a block are those around the block', range(590, 650), ['job "a"']],
    ['at the top level are none', range(1150, 1160), undefined],
    ['in an unknown block are none', range(1050, 1060), undefined],
    ['in a block without its name are none', range(1250, 1260), undefined],
    ['with a long name have the beginning of the name', range(2050, 2060), [`variable "${'x'.repeat(60)}…"`]],
  ])('%s', (_sentence, place, expected) => {
    expect(nameBlocks([diagnose('syntax-error', place, 'm')], body)[0]?.blocks).toEqual(expected);
  });

  test('are named only if there is a position', () => {
    const nowhere = diagnose('too-large', undefined, 'm');
    expect(nameBlocks([nowhere], body)).toEqual([nowhere]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { graphOf } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
import { get, job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import type { Layout } from './layout.ts';
import { createLayouts, type LayoutResult } from './layouts.ts';

const layout: Layout = { width: 1, height: 1, nodes: [], edges: [] };
const graph = (...jobs: string[]): Graph =>
  graphOf(pipelineOf(...jobs.map((name) => job(name, get('git.app')))));
/** Names of other widths, so that no two layouts are the same. */
const many = (count: number, salt: number): Graph =>
  graph(...Array.from({ length: count }, (_, index) => `${'x'.repeat(salt)}${index}`));

function counted(answer: () => Promise<LayoutResult> = async () => ({ layout })): {
  asked: string[];
  layouts: ReturnType<typeof createLayouts>;
} {
  const asked: string[] = [];
  const layouts = createLayouts((_graph, dot) => {
    asked.push(dot);
    return answer();
  });
  return { asked, layouts };
}

describe('layouts', () => {
  test('are asked for once, however many want them at a time, and kept', async () => {
    const { asked, layouts } = counted();
    await Promise.all([layouts.find(graph('a')), layouts.find(graph('a')), layouts.find(graph('b'))]);
    await layouts.find(graph('a'));
    expect(asked).toHaveLength(2);
  });

  test('are asked for again after a refusal or a fault', async () => {
    const answers: (() => Promise<LayoutResult>)[] = [
      async () => ({ refused: { reason: 'time-limit', message: 'slow' } }),
      async () => {
        throw new Error('broken');
      },
      async () => ({ layout }),
    ];
    const { asked, layouts } = counted(
      () => answers.shift()?.() ?? Promise.reject(new Error('asked too often')),
    );
    expect(await layouts.find(graph('a'))).toEqual({ refused: { reason: 'time-limit', message: 'slow' } });
    await expect(layouts.find(graph('a'))).rejects.toThrow('broken');
    await layouts.find(graph('a'));
    await layouts.find(graph('a'));
    expect(asked).toHaveLength(3);
  });

  test('that were not wanted for longest are forgotten when there are too many', async () => {
    const { asked, layouts } = counted();
    for (let salt = 1; salt <= 9; salt++) await layouts.find(many(2999, salt));
    expect(asked).toHaveLength(9);
    await layouts.find(many(2999, 9));
    expect(asked).toHaveLength(9);
    await layouts.find(many(2999, 1));
    expect(asked).toHaveLength(10);
  });

  test('of a graph that is too large are refused without asking', async () => {
    const { asked, layouts } = counted();
    expect(await layouts.find(many(3000, 1))).toMatchObject({ refused: { reason: 'too-large' } });
    expect(asked).toEqual([]);
  });
});

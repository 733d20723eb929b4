import { describe, expect, test } from '@jest/globals';
import { graphOf } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import { get, job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import { createLayouts, type LayoutResult } from './layouts.ts';

const layout: Layout = { width: 1, height: 1, nodes: [], edges: [] };
const graph = (...jobs: string[]): Graph =>
  graphOf(pipelineOf(...jobs.map((name) => job(name, get('git.app')))));
/** Names of different widths, so that no two layouts are equal. */
const many = (count: number, salt: number): Graph =>
  graph(...Array.from({ length: count }, (_, index) => `${'x'.repeat(salt)}${index}`));

function counted(answer: () => Promise<LayoutResult> = async () => ({ layout })): {
  requested: string[];
  layouts: ReturnType<typeof createLayouts>;
} {
  const requested: string[] = [];
  const layouts = createLayouts((_graph, dot) => {
    requested.push(dot);
    return answer();
  });
  return { requested, layouts };
}

describe('the cache of layouts', () => {
  test('requests a layout once for simultaneous readers, and stores it', async () => {
    const { requested, layouts } = counted();
    await Promise.all([layouts.find(graph('a')), layouts.find(graph('a')), layouts.find(graph('b'))]);
    await layouts.find(graph('a'));
    expect(requested).toHaveLength(2);
  });

  test('requests a layout again after a refusal or a fault', async () => {
    const answers: (() => Promise<LayoutResult>)[] = [
      async () => ({ refused: { reason: 'time-limit', message: 'slow' } }),
      async () => {
        throw new Error('broken');
      },
      async () => ({ layout }),
    ];
    const { requested, layouts } = counted(
      () => answers.shift()?.() ?? Promise.reject(new Error('asked too often')),
    );
    expect(await layouts.find(graph('a'))).toEqual({ refused: { reason: 'time-limit', message: 'slow' } });
    await expect(layouts.find(graph('a'))).rejects.toThrow('broken');
    await layouts.find(graph('a'));
    await layouts.find(graph('a'));
    expect(requested).toHaveLength(3);
  });

  test('drops the least recently used layouts when there are too many', async () => {
    const { requested, layouts } = counted();
    for (let salt = 1; salt <= 9; salt++) await layouts.find(many(2999, salt));
    expect(requested).toHaveLength(9);
    await layouts.find(many(2999, 9));
    expect(requested).toHaveLength(9);
    await layouts.find(many(2999, 1));
    expect(requested).toHaveLength(10);
  });

  test('previews do not drop layouts of pipelines, and are cached too', async () => {
    const { requested, layouts } = counted();
    await layouts.find(many(2999, 1));
    for (let salt = 2; salt <= 10; salt++) await layouts.findPreview(many(2999, salt));
    await layouts.find(many(2999, 1));
    await layouts.findPreview(many(2999, 10));
    expect(requested).toHaveLength(10);
  });

  test('previews have less room than pipelines', async () => {
    const { requested, layouts } = counted();
    for (let salt = 1; salt <= 3; salt++) await layouts.findPreview(many(2999, salt));
    await layouts.findPreview(many(2999, 1));
    expect(requested).toHaveLength(4);
  });

  test('refuses a graph that is too large without a request', async () => {
    const { requested, layouts } = counted();
    expect(await layouts.find(many(3000, 1))).toMatchObject({ refused: { reason: 'too-large' } });
    expect(requested).toEqual([]);
  });
});

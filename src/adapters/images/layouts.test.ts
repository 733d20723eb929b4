import { describe, expect, test } from '@jest/globals';
import { graphOf } from '#domain/graph/graph-of.ts';
import type { Graph } from '#domain/graph/graph.ts';
import type { Layout } from '#domain/graph/layout.ts';
import { get, job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import { createLayouts, type LayoutResult } from './layouts.ts';

const layout: Layout = { width: 1, height: 1, nodes: [], edges: [] };
const graphOfJobs = (...jobs: string[]): Graph =>
  graphOf(pipelineOf(...jobs.map((name) => job(name, get('git.app')))));
/**
 * A graph whose job names begin with `nameLength` letters, so that graphs of different lengths have different
 * layouts.
 */
const largeGraph = (count: number, nameLength: number): Graph =>
  graphOfJobs(...Array.from({ length: count }, (_, index) => `${'x'.repeat(nameLength)}${index}`));

function countingLayouts(answer: () => Promise<LayoutResult> = async () => ({ layout })): {
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
    const { requested, layouts } = countingLayouts();
    await Promise.all([
      layouts.find(graphOfJobs('a')),
      layouts.find(graphOfJobs('a')),
      layouts.find(graphOfJobs('b')),
    ]);
    await layouts.find(graphOfJobs('a'));
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
    const { requested, layouts } = countingLayouts(
      () => answers.shift()?.() ?? Promise.reject(new Error('requested too often')),
    );
    expect(await layouts.find(graphOfJobs('a'))).toEqual({
      refused: { reason: 'time-limit', message: 'slow' },
    });
    await expect(layouts.find(graphOfJobs('a'))).rejects.toThrow('broken');
    await layouts.find(graphOfJobs('a'));
    await layouts.find(graphOfJobs('a'));
    expect(requested).toHaveLength(3);
  });

  test('drops the least recently used layouts when there are too many', async () => {
    const { requested, layouts } = countingLayouts();
    for (let nameLength = 1; nameLength <= 9; nameLength++) await layouts.find(largeGraph(2999, nameLength));
    expect(requested).toHaveLength(9);
    await layouts.find(largeGraph(2999, 9));
    expect(requested).toHaveLength(9);
    await layouts.find(largeGraph(2999, 1));
    expect(requested).toHaveLength(10);
  });

  test('keeps the layouts of pipelines when previews come, and stores previews too', async () => {
    const { requested, layouts } = countingLayouts();
    await layouts.find(largeGraph(2999, 1));
    for (let nameLength = 2; nameLength <= 10; nameLength++)
      await layouts.findPreview(largeGraph(2999, nameLength));
    await layouts.find(largeGraph(2999, 1));
    await layouts.findPreview(largeGraph(2999, 10));
    expect(requested).toHaveLength(10);
  });

  test('stores fewer previews than pipelines', async () => {
    const { requested, layouts } = countingLayouts();
    for (let nameLength = 1; nameLength <= 3; nameLength++)
      await layouts.findPreview(largeGraph(2999, nameLength));
    await layouts.findPreview(largeGraph(2999, 1));
    expect(requested).toHaveLength(4);
  });

  test('refuses a graph that is too large without a request', async () => {
    const { requested, layouts } = countingLayouts();
    expect(await layouts.find(largeGraph(3000, 1))).toMatchObject({ refused: { reason: 'too-large' } });
    expect(requested).toEqual([]);
  });
});

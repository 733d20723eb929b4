import { expect, test } from '@jest/globals';
import type { ClusterNodes, WorkerNodes } from '#domain/planning/worker-nodes.ts';
import { recordWorkers } from './record-workers.ts';

const TEAMS = [
  { name: 'shop', workers: [], allowedTags: ['gpu'] },
  { name: 'docs', workers: [], allowedTags: [] },
];

/** Three nodes, one of them with a tag. */
const count = (selector: Record<string, string>): number => (Object.keys(selector).length === 0 ? 3 : 1);

async function recorded(
  nodes: ClusterNodes | undefined,
): Promise<ReadonlyMap<string, readonly WorkerNodes[]>[]> {
  const saved: ReadonlyMap<string, readonly WorkerNodes[]>[] = [];
  const store = { saveWorkers: async (workers: (typeof saved)[number]) => void saved.push(workers) };
  await recordWorkers({ teams: () => TEAMS, nodes: () => nodes, store });
  return saved;
}

test('the nodes of all teams are recorded at once', async () => {
  const untagged = { nodeSelector: {}, nodes: 3 };
  expect(await recorded({ labelOf: (tag) => `tag-${tag}`, labelledTags: [], count })).toEqual([
    new Map([
      ['shop', [untagged, { tag: 'gpu', nodeSelector: { 'tag-gpu': 'true' }, nodes: 1 }]],
      ['docs', [untagged]],
    ]),
  ]);
});

test('nothing is recorded while the nodes are not known, so the last numbers stay', async () => {
  expect(await recorded(undefined)).toEqual([]);
});

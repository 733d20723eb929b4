import { describe, expect, test } from '@jest/globals';
import { workerNodes, type ClusterNodes } from './worker-nodes.ts';

const NODES = [
  {},
  { 'millrace.dev/tag-arm': 'true' },
  { 'millrace.dev/tag-arm': 'true', 'example.org/gpu': 'a100' },
] as Record<string, string>[];

const CLUSTER: ClusterNodes = {
  labelOf: (tag) => `millrace.dev/tag-${tag}`,
  labelledTags: ['arm'],
  count: (selector) =>
    NODES.filter((labels) => Object.entries(selector).every(([label, value]) => labels[label] === value))
      .length,
};
const ARM = { tag: 'arm', nodeSelector: { 'millrace.dev/tag-arm': 'true' }, nodes: 2 };
const UNTAGGED = { nodeSelector: {}, nodes: 3 };

describe('the nodes of a team', () => {
  test('that defines no tags are those for Pods without tags, and those of labelled nodes', () => {
    expect(workerNodes({ name: 'shop', workers: [] }, CLUSTER)).toEqual([UNTAGGED, ARM]);
  });

  test('that defines a tag are found by its node selector, even if no node matches', () => {
    const workers = [
      { tag: 'gpu', nodeSelector: { 'example.org/gpu': 'a100' } },
      { tag: 'big', nodeSelector: { 'example.org/size': 'big' } },
    ];
    expect(workerNodes({ name: 'shop', workers }, CLUSTER)).toEqual([
      UNTAGGED,
      ARM,
      { tag: 'big', nodeSelector: { 'example.org/size': 'big' }, nodes: 0 },
      { tag: 'gpu', nodeSelector: { 'example.org/gpu': 'a100' }, nodes: 1 },
    ]);
  });

  test('that allows only some tags are those for Pods without tags, and those of the allowed tags', () => {
    const workers = [{ tag: 'gpu', nodeSelector: { 'example.org/gpu': 'a100' } }];
    expect(workerNodes({ name: 'shop', allowedTags: ['mips'], workers }, CLUSTER)).toEqual([
      UNTAGGED,
      { tag: 'mips', nodeSelector: { 'millrace.dev/tag-mips': 'true' }, nodes: 0 },
    ]);
  });

  test('whose tag matches any node are counted once for each node', () => {
    const workers = [{ tag: 'any', nodeSelector: {} }];
    expect(workerNodes({ name: 'shop', allowedTags: ['any'], workers }, CLUSTER)).toEqual([
      UNTAGGED,
      { tag: 'any', nodeSelector: {}, nodes: 3 },
    ]);
  });
});

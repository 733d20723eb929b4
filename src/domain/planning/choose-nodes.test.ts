import { describe, expect, test } from '@jest/globals';
import { assert, constantFrom, oneof, option, property, string, uniqueArray } from 'fast-check';
import {
  isPlacementRefusal,
  placePod,
  type Placement,
  type PlacementRefusal,
  type TagRules,
  type Worker,
} from './choose-nodes.ts';

const labelOf = (tag: string): string => `example.dev/tag-${tag}`;
const rules = (workers: Worker[] = [], allowedTags?: string[]): TagRules => ({
  name: 'blue',
  workers,
  ...(allowedTags === undefined ? {} : { allowedTags }),
});
const place = (tags: string[], team: TagRules): Placement | PlacementRefusal => placePod(tags, team, labelOf);

const taint = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' } as const;
const gpu: Worker = {
  tag: 'gpu',
  nodeSelector: { 'example.com/accelerator': 'a100' },
  tolerations: [taint],
  resources: { requests: { memory: '8Gi' }, limits: { 'nvidia.com/gpu': 1 } },
  runtimeClassName: 'nvidia',
};
const big: Worker = { tag: 'big', nodeSelector: {}, resources: { requests: { cpu: 8, memory: '4Gi' } } };

describe('the placement of a Pod', () => {
  test.each<[string, string[], TagRules, Partial<Placement>]>([
    ['without tags is on any node', [], rules([gpu], []), { nodeSelector: {}, tolerations: [] }],
    [
      'with a tag that has no entry in the Team is on nodes with the label of the tag',
      ['arm64'],
      rules([gpu]),
      { nodeSelector: { 'example.dev/tag-arm64': 'true' }, tolerations: [], requests: {}, limits: {} },
    ],
    [
      'with a tag that has an entry in the Team follows the entry, not the label of the tag',
      ['gpu'],
      rules([big, gpu]),
      {
        nodeSelector: { 'example.com/accelerator': 'a100' },
        tolerations: [taint],
        requests: { memory: '8Gi' },
        limits: { 'nvidia.com/gpu': 1 },
        runtimeClassName: 'nvidia',
      },
    ],
    [
      'is on nodes with the label if the entry has no node selector',
      ['gpu'],
      rules([{ tag: 'gpu', tolerations: [taint] }]),
      { nodeSelector: { 'example.dev/tag-gpu': 'true' }, tolerations: [taint] },
    ],
    [
      'is on any node if the entry has an empty node selector',
      ['big'],
      rules([big]),
      { nodeSelector: {}, requests: { cpu: 8, memory: '4Gi' } },
    ],
    [
      'with several tags combines their entries, and the later entry counts for the same resource',
      ['arm64', 'gpu', 'big'],
      rules([gpu, big]),
      {
        nodeSelector: { 'example.com/accelerator': 'a100', 'example.dev/tag-arm64': 'true' },
        requests: { cpu: 8, memory: '4Gi' },
        limits: { 'nvidia.com/gpu': 1 },
        runtimeClassName: 'nvidia',
      },
    ],
    [
      'with an allowed tag is on nodes with the label of the tag',
      ['gpu'],
      rules([], ['arm64', 'gpu']),
      { nodeSelector: { 'example.dev/tag-gpu': 'true' } },
    ],
  ])('%s', (_, tags, team, expected) => {
    expect(place(tags, team)).toMatchObject(expected);
  });

  test.each<[string, string[], TagRules, PlacementRefusal]>([
    [
      'a tag that is not allowed, beside the allowed ones',
      ['gpu', 'arm64'],
      rules([gpu], ['arm64', 'big']),
      {
        reason: 'TagNotAllowed',
        message: 'Team blue does not allow the tag gpu; its spec.allowedTags has arm64 and big.',
      },
    ],
    [
      'all tags that are not allowed',
      ['gpu', 'arm64'],
      rules([], []),
      {
        reason: 'TagNotAllowed',
        message: 'Team blue does not allow the tags gpu and arm64; its spec.allowedTags has none.',
      },
    ],
    [
      'two tags that need different nodes',
      ['a', 'b'],
      rules([
        { tag: 'a', nodeSelector: { zone: 'north' } },
        { tag: 'b', nodeSelector: { zone: 'south' } },
      ]),
      {
        reason: 'TagsConflict',
        message: 'No Pod can have the tags a and b: they want the node label zone to be north and south.',
      },
    ],
    [
      'two tags that need different runtimes',
      ['gpu', 'safe'],
      rules([gpu, { tag: 'safe', runtimeClassName: 'gvisor' }]),
      {
        reason: 'TagsConflict',
        message:
          'No Pod can have the tags gpu and safe: they want the runtime class to be nvidia and gvisor.',
      },
    ],
  ])('is refused with the reason: %s', (_, tags, team, expected) => {
    expect(place(tags, team)).toEqual(expected);
  });

  test('does not depend on the order of the tags', () => {
    const team = rules([big, gpu]);
    expect(JSON.stringify(place(['x', 'gpu', 'a', 'big'], team))).toBe(
      JSON.stringify(place(['big', 'a', 'gpu', 'x'], team)),
    );
  });

  test('comes only from the Team or the label of a tag, for any text of the tags', () => {
    const anyTag = oneof(string(), constantFrom('gpu', 'big', 'kubernetes.io/hostname', '__proto__'));
    assert(
      property(uniqueArray(anyTag, { maxLength: 5 }), option(uniqueArray(anyTag)), (tags, allowed) => {
        const placement = place(tags, rules([gpu, big], allowed ?? undefined));
        if (isPlacementRefusal(placement)) return;
        expect(tags.filter((tag) => allowed !== null && !allowed.includes(tag))).toEqual([]);
        const allowedLabels = new Set(['example.com/accelerator', ...tags.map(labelOf)]);
        expect(Object.keys(placement.nodeSelector).filter((label) => !allowedLabels.has(label))).toEqual([]);
        expect(placement.tolerations.filter((toleration) => toleration !== taint)).toEqual([]);
      }),
    );
  });
});

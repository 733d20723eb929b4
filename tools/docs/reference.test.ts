import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { BlockSchema } from '#domain/language/block-schema.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { builtInResourceTypes } from '#domain/pipeline/built-in-types.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import { ROOT } from './markdown.ts';

const page = readFileSync(join(ROOT, 'docs/reference/pipeline.md'), 'utf8');

/** Names that the language reads: blocks, attributes, runners. */
function namesIn(schema: BlockSchema, seen = new Set<BlockSchema>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const attributes = [
    schema.attributes,
    ...Object.values(schema.variants ?? {}).map((variant) => variant.attributes),
  ];
  return [
    ...Object.keys(schema.variants ?? {}),
    ...attributes.flatMap((table) => Object.keys(table)),
    ...Object.entries(schema.blocks).flatMap(([name, nested]) => [name, ...namesIn(nested.schema, seen)]),
    ...(schema.unlabelled ? namesIn(schema.unlabelled, seen) : []),
  ];
}

describe('the language reference names', () => {
  const spans = new Set(
    [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, span = '']) => span.split(/[\s"<>]+/)),
  );

  test('every block, attribute and runner that is read', () => {
    const names = [...new Set(namesIn(pipelineSchema))];
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !spans.has(name))).toEqual([]);
  });

  test('every built-in type', () => {
    expect([...builtInResourceTypes.keys()].filter((name) => !spans.has(name))).toEqual([]);
  });

  test('the limits of length, blocks, depth and time', () => {
    const { bytes, blocks, depth, cpuMilliseconds } = LIMITS;
    const words = [
      `${bytes / 1024} KiB`,
      blocks.toLocaleString('en'),
      String(depth),
      `${cpuMilliseconds / 1000} s`,
    ];
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });
});

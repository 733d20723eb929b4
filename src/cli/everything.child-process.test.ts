import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import type { BlockSchema } from '#domain/language/block-schema.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { millrace } from '#testing/cli/command-line.ts';
import { golden } from '#testing/jest/golden-file.ts';

const SAMPLE = 'config/samples/everything.hcl';

beforeAll(async () => {
  await buildEngine();
}, 600_000);

/** The names of all blocks and attributes of the language. `seen` ends the recursion: blocks may nest. */
function namesIn(schema: BlockSchema, seen = new Set<BlockSchema>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { attributes, blocks, variants = {}, unlabelled, shorter } = schema;
  return [
    ...Object.keys(attributes),
    ...Object.entries(variants).flatMap(([name, variant]) => [name, ...Object.keys(variant.attributes)]),
    ...Object.entries(blocks).flatMap(([name, nested]) => [name, ...namesIn(nested.schema, seen)]),
    ...(unlabelled ? namesIn(unlabelled, seen) : []),
    ...(shorter ? namesIn(shorter.schema, seen) : []),
  ];
}

describe('the pipeline with every construct', () => {
  test('has every block and every attribute', () => {
    const words = new Set(readFileSync(SAMPLE, 'utf8').match(/\w+/g));
    // `source_digest` belongs to a fetched source, which a sample without a network cannot have. `protocol`
    // belongs to types of Concourse, whose images a cluster without a registry cannot have.
    const without = ['source_digest', 'protocol'];
    expect([...new Set(namesIn(pipelineSchema))].filter((name) => !words.has(name))).toEqual(without);
  });

  test('is valid, without a warning', async () => {
    const { exit, out } = await millrace(`millrace validate --output json ${SAMPLE}`);
    expect([exit, [...out.matchAll(/"code": "([^"]+)"/g)]]).toEqual([0, []]);
  });

  test('is formatted', async () => {
    expect(await millrace(`millrace fmt --check ${SAMPLE}`)).toMatchObject({ exit: 0, out: '', err: '' });
  });

  test('is the picture in the documentation (`jest -u` draws it; then look at it)', async () => {
    const { out } = await millrace(`millrace graph ${SAMPLE} --output svg`);
    expect(out).toBe(golden('docs/images/everything.svg', out));
  });

  test('has the recorded plans', async () => {
    const jobs = ['unit--cart', 'integration--16-api', 'build', 'deploy', 'smoke--europe', 'docs', 'release'];
    let plans = '';
    for (const job of jobs) plans += `${(await millrace(`millrace plan ${SAMPLE} --job ${job}`)).out}\n`;
    expect(plans).toBe(golden('src/cli/testdata/everything-plans.txt', plans));
  });
});

test('the sample of the README is the picture in the documentation (`jest -u` draws it; then look at it)', async () => {
  const { out } = await millrace('millrace graph config/samples/pipeline.yaml --output svg');
  expect(out).toBe(golden('docs/images/pipeline.svg', out));
});

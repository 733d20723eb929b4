import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { assert, asyncProperty, oneof } from 'fast-check';
import { expressionTexts, mutatedBytes, suiteTexts } from '#testing/hcl/arbitrary-texts.ts';
import { describeBoth } from '#testing/hcl/compare-native.ts';
import { startNativeParser, type NativeParser } from '#testing/hcl/native-parser.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { buildEngine } from './build.ts';
import { startEngine, type HclEngine } from './engine.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(3_600_000);

/*
 * The engine in WebAssembly must report what hashicorp/hcl reports natively. Texts that the engine's guard
 * refuses before HCL sees them are left out.
 */
let engine: HclEngine;
let reference: NativeParser;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
  reference = await startNativeParser();
}, 600_000);
afterAll(() => reference.stop());

/** Expects the same from both; returns whether the quick check of the engine's guard accepts the text. */
async function compare(source: Uint8Array): Promise<boolean> {
  const described = await describeBoth(engine, reference, source);
  expect(described?.ours).toEqual(described?.theirs);
  return described?.sure === true;
}

describe('the engine agrees with native hashicorp/hcl', () => {
  test('on every text of the suite, most of which the quick check of its guard accepts', async () => {
    let acceptedQuickly = 0;
    for (const source of suiteTexts) if (await compare(Buffer.from(source))) acceptedQuickly += 1;
    expect(acceptedQuickly).toBeGreaterThan(0.8 * suiteTexts.length);
  });

  test('on generated valid and invalid texts', async () => {
    const texts = oneof(
      { arbitrary: expressionTexts.map((source) => new Uint8Array(Buffer.from(source))), weight: 1 },
      { arbitrary: mutatedBytes, weight: 2 },
    );
    await assert(
      asyncProperty(texts, async (source) => void (await compare(source))),
      { numRuns: propertyRuns(1000) },
    );
  });
});

import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { asyncProperty, check, oneof, string } from 'fast-check';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine } from '#adapters/hcl/engine.ts';
import { circumstances, numberFlag } from '#bench/table.ts';
import { hasErrors } from '#domain/language/diagnostic.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import { expressionTexts, mutatedBytes } from '#testing/hcl/arbitrary-texts.ts';
import { describeBoth } from '#testing/hcl/compare-native.ts';
import { startNativeParser } from '#testing/hcl/native-parser.ts';

/*
 * Reads generated and broken texts for some minutes. None may break the engine or the compiler. Native
 * hashicorp/hcl must agree on each text that `describeBoth` can compare. Formatting a text without syntax
 * errors a second time must change nothing. Prints the seed, with which a run can be repeated, and a failing
 * text after fast-check has shrunk it.
 *
 *   node bench/language/fuzz-language.ts [--minutes 10] [--seed 1]
 */
const minutes = numberFlag('minutes', 10);
const seed = numberFlag('seed', 1 + Math.floor(Math.random() * 2 ** 30));
const COLLECT_EVERY = 50;

const engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
const reference = await startNativeParser();
let textsRead = 0;
let pipelinesRead = 0;

async function tryText(source: Uint8Array): Promise<void> {
  const { pipeline, diagnostics, needs = [] } = compileText(engine, source, {});
  strictEqual(pipeline === undefined, hasErrors(diagnostics) || needs.length > 0);
  const described = await describeBoth(engine, reference, source);
  deepStrictEqual(described?.ours, described?.theirs);
  const document = engine.parse(source, LIMITS.depth);
  document.release();
  if (document.problems.length === 0) {
    const formatted = engine.format(source);
    strictEqual(engine.format(formatted), formatted);
  }
  textsRead += 1;
  if (pipeline) pipelinesRead += 1;
  if (textsRead % COLLECT_EVERY === 0) engine.collect();
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const texts = oneof(
  { arbitrary: mutatedBytes, weight: 8 },
  { arbitrary: expressionTexts.map(bytesOf), weight: 3 },
  string({ maxLength: 300, unit: 'binary' }).map(bytesOf),
);

console.log(circumstances());
console.log(`seed ${seed}`);
const result = await check(asyncProperty(texts, tryText), {
  seed,
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: minutes * 60_000,
});
reference.stop();
const memory = (engine.memorySize() / 1024 / 1024).toFixed(0);
console.log(`${textsRead} texts read, ${pipelinesRead} of them pipelines; the engine holds ${memory} MiB`);
console.log(circumstances());
if (result.counterexample) {
  const [source] = result.counterexample;
  console.error(`This text fails (base64): ${Buffer.from(source).toString('base64')}`);
  console.error(result.errorInstance);
  process.exitCode = 1;
}

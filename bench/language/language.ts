import { readFileSync } from 'node:fs';
import hcl2 from 'hcl2-parser';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine } from '#adapters/hcl/engine.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { thousandLines } from './thousand-lines.ts';

/*
 * Measures how long it takes to parse, expand and validate a large pipeline, in alternation with hcl2-parser,
 * which only parses the same text in the same process. Then measures the memory of the engine and of this
 * process over many runs.
 *
 *   node bench/language/language.ts [--runs 101] [--memory-runs 10000]
 */
const runs = numberFlag('runs', 101);
const memoryRuns = numberFlag('memory-runs', 10_000);
const WARM_UP = 30;

const engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
const text = thousandLines();
const variables = { token: { value: makeSecretPlaceholder('token'), secret: true } };

const compile = (): ReturnType<typeof compileText> => compileText(engine, text, variables);
const { pipeline, diagnostics } = compile();
if (!pipeline) throw new Error(JSON.stringify(diagnostics));

const contestants = {
  'hcl2-parser: parsed': () => void hcl2.parseToObject(text),
  'Millrace: parsed': () => {
    engine.parse(text, LIMITS.depth).release();
  },
  'Millrace: parsed, expanded, validated': () => void compile(),
};
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;

console.log(circumstances());
const lines = text.split('\n').length - 1;
console.log(`${lines} lines, ${text.length} bytes, ${pipeline.jobs.length} jobs from 100 blocks\n`);
console.log(table(['', 'median', 'p90', 'ratio'], measureTimes()));
console.log(`\n${table(['after runs', 'engine', 'process'], measureMemory())}`);
console.log(`\n${circumstances()}`);

function measureTimes(): string[][] {
  const samples = Object.values(contestants).map((): number[] => []);
  for (let run = -WARM_UP; run < runs; run += 1) {
    for (const [i, act] of Object.values(contestants).entries()) {
      const startedAt = performance.now();
      act();
      if (run >= 0) samples[i]?.push(performance.now() - startedAt);
      // The compiler's thread also collects garbage after it has answered a text of this size.
      engine.collect();
    }
  }
  const summaries = samples.map(summarise);
  return Object.keys(contestants).map((name, i) => {
    const { median = 0, p90 = 0 } = summaries[i] ?? {};
    const ratio = median / (summaries[0]?.median ?? 1);
    return [name, `${median.toFixed(1)} ms`, `${p90.toFixed(1)} ms`, ratio.toFixed(2)];
  });
}

function measureMemory(): string[][] {
  const rows: string[][] = [];
  for (let run = 0; run <= memoryRuns; run += 1) {
    if (run % (memoryRuns / 5) === 0) {
      rows.push([String(run), mebibytes(engine.memorySize()), mebibytes(process.memoryUsage().rss)]);
    }
    compile();
    engine.collect();
  }
  return rows;
}

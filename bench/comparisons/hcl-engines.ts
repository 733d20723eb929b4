import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import hcl2 from 'hcl2-parser';
import { parse as parseYaml } from 'yaml';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';

/*
 * Compares the HCL engine with hcl2-parser on the same texts (docs/adr/0001). The engines take turns in this
 * process. Their starts, and a text that may crash an engine, are measured in separate processes:
 *
 *   node bench/comparisons/hcl-engines.ts [--runs 41]
 */
const runs = numberFlag('runs', 41);
const STARTS = 9;

const file = await buildEngine();
const parserFile = createRequire(import.meta.url).resolve('hcl2-parser');
const engineSource = new URL('../../src/adapters/hcl/engine.ts', import.meta.url).href;
/** Code that loads one of the engines. The benchmark appends a call to that engine. */
const PARSER = `const { default: hcl2 } = await import('file://${parserFile}');`;
const ENGINE = `const { readFileSync } = await import('node:fs');
  const { startEngine } = await import('${engineSource}');
  startEngine(new WebAssembly.Module(readFileSync('${file}')))`;
const engine = startEngine(new WebAssembly.Module(readFileSync(file)));

console.log(circumstances());
console.log(`\n${table(['the same text', 'hcl2-parser 1.0.3', 'hcl.wasm'], compareAnswers())}`);
console.log(
  `\n${table(['text', 'hcl2-parser', 'hcl.wasm: tree', 'ratio', 'hcl.wasm: pipeline', 'ratio'], measureTimes())}`,
);
console.log(`\n${table(['', 'hcl2-parser', 'hcl.wasm'], measureStarts())}`);
console.log(`\n${circumstances()}`);

function elapsed(act: () => unknown): number {
  const startedAt = performance.now();
  act();
  return performance.now() - startedAt;
}

/** Rows with the result of each engine for texts on which they differ. */
function compareAnswers(): string[][] {
  const steps = 'job "a" {\n  get "git" "z" {}\n  task "t" {}\n  get "git" "b" {}\n}\n';
  const broken = 'job "a" {\n  task "t" {\n';
  const deep = `a = ${'['.repeat(1000)}`;
  const literal = 'a = "$${foo.bar}"\nb = foo.bar\n';
  return [
    ['order of steps in a job', answerOfParser(steps), answerOfEngine(steps)],
    ['a missing brace', answerOfParser(broken), answerOfEngine(broken)],
    ['literal ${foo.bar}, then the reference', answerOfParser(literal), answerOfEngine(literal)],
    [
      '1,000 times [, a process each',
      runInProcess(`${PARSER} hcl2.parseToObject(${JSON.stringify(deep)});`),
      runInProcess(`${ENGINE}.parse(${JSON.stringify(deep)}, ${LIMITS.depth});`),
    ],
  ];
}

/** Runs the program in a separate process, because it may crash. Returns how and when the process ended. */
function runInProcess(program: string): string {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const ms = (performance.now() - startedAt).toFixed(0);
  const error = /^\w*Error: .*$/m.exec(stderr)?.[0] ?? 'an error';
  return status === 0
    ? `answered; the process ends well after ${ms} ms`
    : `${error}; the process dies after ${ms} ms`;
}

function answerOfParser(text: string): string {
  try {
    return JSON.stringify(hcl2.parseToObject(text)).slice(0, 110);
  } catch (error) {
    return Error.isError(error) ? error.message.slice(0, 110) : 'throws';
  }
}

function answerOfEngine(text: string): string {
  const document = engine.parse(text, LIMITS.depth);
  const [problem] = document.problems;
  const shown = problem === undefined ? outline(document) : `${positionOf(problem)}: ${problem.summary}`;
  document.release();
  return shown;
}

type Document = ReturnType<HclEngine['parse']>;

function positionOf({ subject: range }: Document['problems'][number]): string {
  return range === undefined ? 'whole text' : `line ${range.start.line}, column ${range.start.column}`;
}

function outline({ body }: Document): string {
  const items = body?.items.flatMap((item) => (item.kind === 'block' ? item.body.items : [item])) ?? [];
  return items
    .map((item) =>
      item.kind === 'block'
        ? `${item.type} ${item.labels.map(({ text }) => text).join(' ')} (line ${item.range.start.line})`
        : `${item.name}: ${item.expression.variables.length === 0 ? 'text' : 'reference'} (line ` +
          `${item.range.start.line})`,
    )
    .join(', ');
}

function measureTimes(): string[][] {
  const manifest: { spec?: { config?: string } } = parseYaml(
    readFileSync(join(import.meta.dirname, '../../config/samples/pipeline.yaml'), 'utf8'),
  );
  const texts = {
    sample: manifest.spec?.config ?? '',
    '30 jobs': pipelineOf(30),
    '100 jobs': pipelineOf(100),
  };
  return Object.entries(texts).map(([name, text]) => {
    const samples: [number[], number[], number[]] = [[], [], []];
    for (let run = 0; run < runs; run += 1) {
      samples[0].push(elapsed(() => hcl2.parseToObject(text)));
      samples[1].push(elapsed(() => engine.parse(text, LIMITS.depth).release()));
      samples[2].push(elapsed(() => compileText(engine, text, {})));
    }
    const [parser, tree, whole] = samples.map(summarise);
    if (parser === undefined || tree === undefined || whole === undefined) return [];
    const shown = ({ median, p90 }: typeof parser): string =>
      `${median.toFixed(2)} ms, p90 ${p90.toFixed(2)}`;
    return [
      `${name}, ${text.length} bytes`,
      shown(parser),
      shown(tree),
      (tree.median / parser.median).toFixed(2),
      shown(whole),
      (whole.median / parser.median).toFixed(2),
    ];
  });
}

function oneJob(index: number): string {
  return `
job "job${index}" {
  get "git" "app" {
    trigger = true
    passed  = [${index === 0 ? '' : `"job${index - 1}"`}]
  }

  task "test" {
    run "shell" {
      cmd = <<-EOT
        cd app
        make test NUMBER=${index}
      EOT
    }
  }
}
`;
}

/** A valid pipeline with this many jobs of two steps, each downstream of the previous job. */
function pipelineOf(jobs: number): string {
  return `resource "git" "app" {
  check_interval = "@every 1m"
  params {
    url  = "https://git.example.org/app.git"
    name = "app"
  }
}
${Array.from({ length: jobs }, (_, index) => oneJob(index)).join('')}`;
}

/**
 * For each engine: the time until it has parsed its first text, the memory that it adds to a process, and the
 * size of its file.
 */
function measureStarts(): string[][] {
  const programs = {
    nothing: '',
    'hcl2-parser': `${PARSER} hcl2.parseToObject('a = 1');`,
    'hcl.wasm': `${ENGINE}.parse('a = 1', ${LIMITS.depth});`,
  };
  const samples: Record<string, { ms: number[]; mb: number[] }> = {};
  for (let run = 0; run < STARTS; run += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const code = `const startedAt = performance.now(); ${program};
        console.log(performance.now() - startedAt, process.memoryUsage.rss() / 1e6)`;
      const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
        encoding: 'utf8',
      });
      const [ms = Number.NaN, mb = Number.NaN] = output.split(' ').map(Number);
      samples[name] ??= { ms: [], mb: [] };
      samples[name].ms.push(ms);
      samples[name].mb.push(mb);
    }
  }
  const medianOf = (name: string, unit: 'ms' | 'mb'): number => summarise(samples[name]?.[unit] ?? []).median;
  const addedMemory = (name: string): string =>
    `${(medianOf(name, 'mb') - medianOf('nothing', 'mb')).toFixed(0)} MB`;
  return [
    [
      'load and first parse (median)',
      `${medianOf('hcl2-parser', 'ms').toFixed(0)} ms`,
      `${medianOf('hcl.wasm', 'ms').toFixed(0)} ms`,
    ],
    ['memory that it adds (median)', addedMemory('hcl2-parser'), addedMemory('hcl.wasm')],
    ['size of the file', size(parserFile), size(file)],
  ];
}

function size(path: string): string {
  return `${inMegabytes(statSync(path).size)} MB, ${inMegabytes(gzipSync(readFileSync(path)).length)} MB gzipped`;
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}

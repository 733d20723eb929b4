import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { build } from 'esbuild';
import sharp from 'sharp';
import { findFont } from '#adapters/images/locate.ts';
import { createPictures, type Pictures } from '#adapters/images/pictures.ts';
import { summarise, type Summary } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { defined } from '#defined';
import { graphOf } from '#domain/graph/graph-of.ts';
import { nodeStyles } from '#domain/graph/node-style.ts';
import type { EndedStatus, JobState } from '#domain/graph/state.ts';
import { writeDot } from '#domain/graph/write-dot.ts';
import type { PictureToDraw } from '#flows/views/overview-ports.ts';
import { largePipeline } from '#testing/pipelines/large-pipeline.ts';
import { childProcesses } from '#testing/process/child-processes.ts';

/*
 * Times of images of about 100 and 1,000 nodes, compared with Graphviz and sharp alone; memory of a separate
 * process that draws PNGs and of its child; and how long other work waits for the event loop
 * (docs/benchmarks.md):
 *
 *   node bench/graphs/graphs.ts [--runs 15]      make bench-graph
 */
const WORKER = join(import.meta.dirname, '../../src/adapters/images/worker.ts');
/** Bundled CommonJS packages call `require`, which modules do not have. */
const REQUIRE =
  "import { createRequire as createRequireHere } from 'node:module'; " +
  'const require = createRequireHere(import.meta.url);';
const runs = numberFlag('runs', 15);
const SIZES = [100, 1000];
const AIMS: Record<number, { first: number; change: number; png: number }> = {
  100: { first: 20, change: 1, png: 60 },
  1000: { first: 200, change: 10, png: 200 },
};
const MAX_MEMORY_MB = 250;
const ENDED_STATUSES: readonly EndedStatus[] = ['succeeded', 'failed', 'cancelled', 'warning'];

/** Pictures of one variant share a layout; their states differ between rounds. */
function pictureOf(size: number, variant: number, round: number): PictureToDraw {
  const pipeline = largePipeline(size, variant);
  const graph = graphOf(pipeline);
  const jobs = pipeline.jobs.map(({ name }, index): [string, JobState] => {
    const ended = ENDED_STATUSES[(index + round) % ENDED_STATUSES.length];
    return [name, { paused: false, ...defined({ ended }) }];
  });
  return {
    graph,
    styles: nodeStyles(graph, { jobs: new Map(jobs), resources: new Map() }),
    name: 'measured',
  };
}

async function time(run: (round: number) => Promise<unknown>, rounds = runs): Promise<Summary> {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await run(round);
    samples.push(performance.now() - start);
  }
  return summarise(samples);
}

const milliseconds = ({ median, p90 }: Summary): string => `${digits(median)} ms, ${digits(p90)} ms`;
const digits = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
const verdict = ({ median }: Summary, aim: number): string =>
  `≤ ${aim} ms${median > aim ? ': **missed**' : ''}`;

async function measureSize(pictures: Pictures, size: number): Promise<string[][]> {
  const aim = AIMS[size] ?? { first: 0, change: 0, png: 0 };
  const { graph, styles, name } = pictureOf(size, 0, 0);
  const count = `${graph.nodes.length} nodes, ${graph.edges.length} edges`;
  // The graphs and styles are made before the clock starts: only the drawing is measured.
  const newPictures = Array.from({ length: runs }, (_, round) => pictureOf(size, round + 1, round));
  const changedPictures = Array.from({ length: runs }, (_, round) => pictureOf(size, 0, round));
  const inRound = (list: PictureToDraw[], round: number): PictureToDraw =>
    list[round] ?? pictureOf(size, 0, 0);
  const first = await time((round) => pictures.svg(inRound(newPictures, round)));
  await pictures.svg({ graph, styles, name });
  const svgAfterChange = await time((round) => pictures.svg(inRound(changedPictures, round)));
  const pngAfterChange = await time((round) => pictures.png(inRound(changedPictures, round)));
  const graphviz = await Graphviz.load();
  const dot = writeDot(graph, name, styles);
  const svg = graphviz.layout(dot, 'svg', 'dot');
  const graphvizAlone = await time(async () => graphviz.layout(dot, 'svg', 'dot'));
  const sharpAlone = await time(() => sharp(Buffer.from(svg), { limitInputPixels: 1e9 }).png().toBuffer(), 3);
  return [
    [`first SVG, ${count}`, milliseconds(first), verdict(first, aim.first)],
    ['… Graphviz alone, its own SVG', milliseconds(graphvizAlone), ''],
    ['SVG after a change of states', milliseconds(svgAfterChange), verdict(svgAfterChange, aim.change)],
    ['PNG after a change of states', milliseconds(pngAfterChange), verdict(pngAfterChange, aim.png)],
    ["… sharp alone, Graphviz' SVG at its own size", milliseconds(sharpAlone), ''],
  ];
}

/** How many milliseconds the event loop is late, at the 99th percentile, while `run` is in progress. */
async function delayDuring(run: () => Promise<unknown>): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  await run();
  histogram.disable();
  return histogram.percentile(99) / 1e6;
}

async function measureDelays(pictures: Pictures): Promise<string[][]> {
  const requests = Array.from({ length: runs }, (_, round) => pictureOf(1000, 100 + round, round));
  const idle = await delayDuring(() => sleep(3000));
  const drawing = await delayDuring(async () => {
    for (const request of requests) {
      await pictures.svg(request);
      await pictures.png(request);
    }
  });
  const during = `${drawing.toFixed(1)} ms beside ${idle.toFixed(1)} ms idle`;
  return [['event loop delay p99 while 1,000-node pictures are made', during, '']];
}

/**
 * Draws only PNGs: of one pipeline with changing states, or of a different pipeline in each round. Prints the
 * sum of the peak memory of this process and of its child, in megabytes.
 */
async function drawPngs(isOnePipeline: boolean): Promise<void> {
  const pictures = createPictures();
  for (let round = 0; round < runs; round++) {
    const answer = await pictures.png(pictureOf(1000, isOnePipeline ? 0 : round, round));
    if ('refused' in answer) throw new Error(answer.refused.message);
  }
  const peaks = childProcesses().map(peakOfProcess);
  await pictures.close();
  const peakKibibytes = [process.resourceUsage().maxRSS, ...peaks].reduce((sum, peak) => sum + peak, 0);
  console.log((peakKibibytes * 1024) / 1e6);
}

/** The peak resident memory of the process in KiB. */
function peakOfProcess(pid: number): number {
  const [, peak = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(peak);
}

/** Measures programs that are bundled as in the image, because loading TypeScript takes 40 MB per process. */
async function measureMemory(): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'graphs-'));
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@img/sharp-*', 'esbuild'],
    entryPoints: { program: import.meta.filename, 'images-worker': WORKER },
    outdir: folder,
    banner: { js: REQUIRE },
  });
  await cp(findFont(), join(folder, 'DejaVuSans.ttf'));
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  const peakOf = (flag: string): number => {
    const args = [join(folder, 'program.js'), flag, '--runs', String(runs)];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  };
  const [onePipeline, manyPipelines] = [peakOf('--pngs-of-one'), peakOf('--pngs-of-many')];
  await rm(folder, { recursive: true });
  const aim = `≤ ${MAX_MEMORY_MB} MB${onePipeline > MAX_MEMORY_MB ? ': **missed**' : ''}`;
  return [
    [`most memory: ${runs} PNGs of a pipeline of 1,000 nodes`, `${onePipeline.toFixed(0)} MB`, aim],
    [`most memory: PNGs of ${runs} such pipelines`, `${manyPipelines.toFixed(0)} MB`, ''],
  ];
}

async function measure(): Promise<void> {
  console.log(`${circumstances()}\n`);
  const pictures = createPictures();
  const cold = await time(() => pictures.svg(pictureOf(10, 0, 0)), 1);
  await pictures.png(pictureOf(10, 0, 0));
  const rows = [['very first SVG: process, Graphviz', milliseconds(cold), ''], ...(await measureMemory())];
  for (const size of SIZES) rows.push(...(await measureSize(pictures, size)));
  rows.push(...(await measureDelays(pictures)));
  await pictures.close();
  console.log(table(['Measure', 'Median, p90', 'Aim'], rows));
  console.log(`\n${circumstances()}`);
}

const mode = process.argv[2];
if (mode === '--pngs-of-one' || mode === '--pngs-of-many') await drawPngs(mode === '--pngs-of-one');
else await measure();

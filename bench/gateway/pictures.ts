import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from '#adapters/database/connection/pool.ts';
import { familyOf } from '#bench/process-cost.ts';
import { summarise } from '#bench/statistics.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { actionsOf } from '#domain/pipeline/steps.ts';
import { largePipeline } from '#testing/pipelines/large-pipeline.ts';
import { resource } from '#testing/pipelines/sample-pipeline.ts';
import { toSave } from '#testing/stores/stores.ts';
import { startControl } from './control.ts';
import type { MeasuredGateway } from './gateway.ts';
import { load, type LoadResult, type RequestToSend } from './load.ts';
import { digits, verdict, type Part, type PartEnvironment } from './part.ts';
import { repeatBeside } from './repeat-beside.ts';

const TEAM = 'pictures';
const SIZES = [100, 1000];
const ROUNDS = 7;
/** Longer than the second for which the gateway caches states. */
const STALE_MS = 1050;
const MIN_SHARE_PERCENT = 80;
const MAX_MEMORY_MB = 250;
const SECONDS = 1;
const RATE_ROUNDS = 15;
const CONNECTIONS = 40;
const ADDRESSES = 4000;

/** Images over HTTP. The part `drawing` measures them without HTTP and database. */
export const pictures: Part = {
  name: 'pictures',
  async measure(environment) {
    await environment.stores.teams.saveTeam({ name: TEAM, namespace: TEAM });
    const lines = await measureCosts(environment);
    const gateway = await environment.startGateway();
    await fetchTimed(gateway, imagePath(1000, 0, 'png'));
    for (const size of SIZES) lines.push(...(await measureTimes(environment, gateway, size)));
    lines.push(...(await measureCachedImages(gateway)));
    await gateway.stop();
    return lines;
  },
};

const nameOf = (size: number, variant: number): string => `p-${size}-${variant}`;
const imagePath = (size: number, variant: number, format: 'svg' | 'png'): string =>
  `/teams/${TEAM}/pipelines/${nameOf(size, variant)}/image.${format}`;

/** A pipeline with the resources that its jobs name. */
function definitionOf(size: number, variant: number): Pipeline {
  const drawn = largePipeline(size, variant);
  const steps = actionsOf(drawn.jobs.flatMap((job) => job.steps));
  const names = new Set(steps.flatMap((step) => ('resource' in step ? [step.resource] : [])));
  const resources = [...names].map((name) => resource(name));
  const types = new Set(resources.map(({ type }) => type));
  const resourceTypes = [...types].map((name) => ({ name, builtIn: false, params: [], cache: false }));
  return { ...drawn, resources, resourceTypes };
}

async function save({ stores }: PartEnvironment, size: number, variant: number): Promise<void> {
  const pipeline = nameOf(size, variant);
  const identity = { team: TEAM, pipeline, namespace: TEAM, uid: pipeline, public: true };
  await stores.pipelines.savePipeline(toSave(definitionOf(size, variant), identity));
}

/**
 * Pauses some jobs and unpauses others, so the layout stays and the colours change. Waits until the gateway
 * no longer has the old states cached.
 */
async function changeStates({ pool }: PartEnvironment, size: number): Promise<void> {
  await pool.query(rows()`
    UPDATE jobs SET paused = random() < 0.5 WHERE pipeline_id = (
      SELECT p.id FROM pipelines p JOIN teams t ON t.id = p.team_id WHERE t.name = ${TEAM}
      AND p.name = ${nameOf(size, 0)})`);
  await sleep(STALE_MS);
}

async function fetchTimed({ base }: MeasuredGateway, path: string): Promise<{ took: number; bytes: number }> {
  const startedAt = performance.now();
  const answer = await fetch(`${base}${path}`);
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return { took: performance.now() - startedAt, bytes };
}

async function measureTimes(
  environment: PartEnvironment,
  gateway: MeasuredGateway,
  size: number,
): Promise<string[][]> {
  const [first, changed, png]: number[][] = [[], [], []];
  for (let variant = 0; variant < ROUNDS; variant++) {
    await save(environment, size, variant);
    first?.push((await fetchTimed(gateway, imagePath(size, variant, 'svg'))).took);
  }
  for (let round = 0; round < ROUNDS; round++) {
    await changeStates(environment, size);
    changed?.push((await fetchTimed(gateway, imagePath(size, 0, 'svg'))).took);
    png?.push((await fetchTimed(gateway, imagePath(size, 0, 'png'))).took);
  }
  return [
    [`over HTTP: first SVG of ${size} nodes`, ...figure(first)],
    ['… SVG after a change of states', ...figure(changed)],
    ['… PNG after a change of states', ...figure(png)],
  ];
}

function figure(samples: number[] | undefined): string[] {
  const { median, p90 } = summarise(samples ?? []);
  return [`${digits(median)} ms, p90 ${digits(p90)} ms`, ''];
}

/**
 * Measures cached images in alternation with a route that only sends the same bytes. On a shared machine the
 * ratio of two figures from the same time says more than a single figure.
 */
async function measureCachedImages(gateway: MeasuredGateway): Promise<string[][]> {
  const lines: string[][] = [];
  for (const size of SIZES) {
    const path = imagePath(size, 0, 'svg');
    const body = await (await fetch(`${gateway.base}${path}`)).text();
    const tag = (await fetch(`${gateway.base}${path}`)).headers.get('etag') ?? '';
    const control = await startControl({ answer: { type: 'image/svg+xml; charset=utf-8', body } });
    const variants = {
      bare: { base: control.base, requests: [{ path: '/' }] },
      ours: { base: gateway.base, requests: [{ path }] },
      route: { base: gateway.base, requests: throughFramework(path) },
      again: { base: gateway.base, requests: [{ path, headers: { 'if-none-match': tag } }], status: 304 },
    };
    const rates = {
      bare: new Array<LoadResult>(),
      ours: new Array<LoadResult>(),
      route: new Array<LoadResult>(),
      again: new Array<LoadResult>(),
    };
    // The first round warms up the JIT and does not count.
    for (let round = 0; round <= RATE_ROUNDS; round++)
      for (const name of ['bare', 'ours', 'route', 'again'] as const) {
        const { base, ...options } = variants[name];
        rates[name].push(await load(base, { connections: CONNECTIONS, seconds: SECONDS, ...options }));
      }
    for (const loads of Object.values(rates)) loads.shift();
    await control.stop();
    const sharesOf = (loads: LoadResult[]): number[] =>
      loads.map(({ perSecond }, round) => (100 * perSecond) / (rates.bare[round]?.perSecond ?? 0));
    const share = summarise(sharesOf(rates.ours)).median;
    lines.push(
      [`cached SVG of ${size} nodes, ${(body.length / 1000).toFixed(0)} kB`, rate(rates.ours), ''],
      ['… the same bytes from a bare Fastify route', rate(rates.bare), ''],
      [
        `… its share of the bare route, median of ${RATE_ROUNDS}`,
        formatShares(sharesOf(rates.ours)),
        verdict(`≥ ${MIN_SHARE_PERCENT} %`, share >= MIN_SHARE_PERCENT),
      ],
      ['… … the same for requests through the framework', formatShares(sharesOf(rates.route)), ''],
      ['… requests of a client that has it: 304', rate(rates.again), ''],
    );
  }
  return lines;
}

/**
 * Requests with a cookie, which the gateway answers through the framework. They name so many client addresses
 * that no address reaches its rate limit.
 */
const throughFramework = (path: string): RequestToSend[] =>
  Array.from({ length: ADDRESSES }, (_, index) => ({
    path,
    headers: { cookie: 'of=another-site', 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` },
  }));

const formatShares = (shares: number[]): string =>
  `${summarise(shares).median.toFixed(0)} %, ${Math.min(...shares).toFixed(0)} to ${Math.max(...shares).toFixed(0)}`;

function rate(loads: LoadResult[]): string {
  const medianOf = (name: 'perSecond' | 'p50' | 'p99'): number =>
    summarise(loads.map((result) => result[name])).median;
  return `${medianOf('perSecond').toFixed(0)}/s, p50 ${digits(medianOf('p50'))} ms, p99 ${digits(medianOf('p99'))} ms`;
}

/** Costs of pictures in a gateway that does nothing else. */
async function measureCosts(environment: PartEnvironment): Promise<string[][]> {
  for (let variant = 0; variant < ROUNDS; variant++) await save(environment, 1000, variant);
  await save(environment, 10, 0);
  const gateway = await environment.startGateway();
  const before = proportionalMemoryOf(gateway.pid);
  const started = await fetchTimed(gateway, imagePath(10, 0, 'svg'));
  await fetchTimed(gateway, imagePath(10, 0, 'png'));
  let peak = 0;
  const drawLargePictures = async (): Promise<number> => {
    await gateway.takeDelay();
    for (let variant = 0; variant < ROUNDS; variant++) {
      await fetchTimed(gateway, imagePath(1000, variant, 'png'));
      await changeStates(environment, 1000);
      await fetchTimed(gateway, imagePath(1000, 0, 'svg'));
    }
    return (await gateway.takeDelay()).p99;
  };
  const p99 = await repeatBeside(drawLargePictures, {
    repeat: () => (peak = Math.max(peak, proportionalMemoryOf(gateway.pid))),
    pauseMs: 25,
  });
  const idling = proportionalMemoryOf(gateway.pid);
  const peaks = familyOf(gateway.pid).map((pid) => kibibytes(pid, 'status', 'VmHWM'));
  const sum = peaks.reduce((total, memory) => total + memory, 0);
  await gateway.stop();
  return [
    ['very first SVG: the drawing process starts', `${digits(started.took)} ms`, ''],
    ['memory before the first picture', `${megabytes(before)} MB`, ''],
    [
      'most memory, gateway and drawing process, proportional',
      `${megabytes(peak)} MB`,
      verdict(`≤ ${MAX_MEMORY_MB} MB`, megabytes(peak) <= MAX_MEMORY_MB),
    ],
    ['… right after', `${megabytes(idling)} MB`, ''],
    [
      '… the most resident memory of each, shared pages twice',
      `${megabytes(sum)} MB (${peaks.map(megabytes).join(' + ')})`,
      '',
    ],
    [
      'event loop delay p99, 1,000-node pictures with pauses of a second',
      `${digits(p99)} ms`,
      'as the idle one',
    ],
  ];
}

const megabytes = (kibi: number): number => Math.round((kibi * 1024) / 1e6);
const proportionalMemoryOf = (pid: number): number =>
  familyOf(pid).reduce((sum, member) => sum + kibibytes(member, 'smaps_rollup', 'Pss'), 0);

function kibibytes(pid: number, file: string, field: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${field}:`));
    return Number(line?.split(/\s+/)[1] ?? 0);
  } catch {
    return 0;
  }
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import { migrate } from '#adapters/database/migrate.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { costOf, type Cost } from '#bench/process-cost.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import {
  applyPipelines,
  commonEnvironment,
  gitPipeline,
  operatorEnvironment,
  prepareCluster,
  RELEASED_PROGRAM,
  taskJob,
  untilLoaded,
} from './installation.ts';

/*
 * The cost of an idle installation, and whether checks are late: the released operator (`make dist`), with a
 * separate API server and Postgres with fsync, without nodes.
 *
 *   node bench/pods/checks.ts [--pipelines 1000] [--clocks 300] [--seconds 60]
 *
 * It measures the operator without pipelines, then with `--pipelines` pipelines of five resources each, none
 * of them due, and then also with `--clocks` resources of type cron that are checked every 10 s, rounded up
 * to whole pipelines of five.
 */
const pipelines = numberFlag('pipelines', 1000);
const clocks = numberFlag('clocks', 300);
const seconds = numberFlag('seconds', 60);
/** Whether the operator has exited. */
let ended = false;
const PER_PIPELINE = 5;

if (!existsSync(RELEASED_PROGRAM)) throw new Error(`There is no ${RELEASED_PROGRAM}: run make dist first.`);
console.log(`${circumstances()}\n`);
const postgres = await startPostgres({ durable: true });
const server = await startApiServer();
try {
  await measure(server, postgres.url);
} finally {
  await server.stop();
  await postgres.stop();
}
console.log(`\n${circumstances()}`);

async function measure(api: OwnApiServer, url: string): Promise<void> {
  await migrate(url);
  const pool = await openPool(url, { maximumConnections: 2 });
  const connection = api.connect();
  const client = new ApiClient(connection);
  await prepareCluster(client);
  const operator = startOperator(api.kubeconfig, url);
  operator.once('exit', () => {
    ended = true;
  });
  const pid = operator.pid ?? 0;
  const lines: string[][] = [];
  const addRow = (name: string, cost: Cost): void =>
    void lines.push([
      name,
      `${cost.cpuPercent.toFixed(1)} %`,
      `${cost.rss} MiB`,
      `${cost.children} MiB`,
      `${cost.peakRss} MiB`,
    ]);
  try {
    await untilLoaded(pool, 0, hasEnded);
    addRow('nothing at all', await costOf(pid, seconds));
    const startedAt = performance.now();
    await applyPipelines(client, { count: pipelines }, quietPipeline);
    await untilLoaded(pool, pipelines, hasEnded);
    const loadedAfter = (performance.now() - startedAt) / 1000;
    console.error(`${pipelines} pipelines are applied after ${loadedAfter.toFixed(0)} s`);
    await finishFirstChecks(pool);
    // A compiler process ends after 30 s without work.
    await sleep(45_000);
    addRow(
      `${pipelines} pipelines, ${pipelines * PER_PIPELINE} resources, nothing due`,
      await costOf(pid, seconds),
    );
    const cronPipelines = Math.ceil(clocks / PER_PIPELINE);
    await applyPipelines(client, { first: pipelines, count: cronPipelines }, cronPipeline);
    await untilLoaded(pool, pipelines + cronPipelines, hasEnded);
    await sleep(20_000);
    const from = new Date();
    addRow(`… and ${cronPipelines * PER_PIPELINE} of type cron at 10 s`, await costOf(pid, seconds));
    const late = await lateness(pool, from);
    console.log(table(['operator', 'of one core', 'RSS', 'of it in children', 'most RSS'], lines));
    console.log(
      `\n${late.checks} checks in ${seconds} s: late by ${late.median} s in the median, ` +
        `${late.p99} s at p99, ${late.max} s at most`,
    );
  } finally {
    if (!ended) {
      operator.kill('SIGTERM');
      await new Promise((resolve) => operator.once('exit', resolve));
    }
    await connection.close();
    await pool.end();
  }
}

function startOperator(kubeconfig: string, url: string) {
  return spawn(process.execPath, [RELEASED_PROGRAM, 'operator'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...commonEnvironment(kubeconfig, url),
      ...operatorEnvironment('https://gateway.example.test:8443'),
    },
  });
}

function hasEnded(): boolean {
  return ended;
}

function quietPipeline(number: number): string {
  return gitPipeline(number, { resources: PER_PIPELINE, every: '24h' });
}

function cronPipeline(): string {
  const names = Array.from({ length: PER_PIPELINE }, (_, n) => `c${n}`);
  const resources = names.map((name) => `resource "cron" "${name}" {\n  check_interval = "@every 10s"\n}\n`);
  return [...resources, taskJob('tick', '"cron" "c0"')].join('');
}

/**
 * For all resources with checks in Pods: marks the first check as done, although no Pod has run, and makes
 * the next one due in a day.
 */
async function finishFirstChecks(pool: DatabasePool): Promise<void> {
  await pool.query(rows()`
    UPDATE check_scopes SET requested_at = NULL, requested_cause = NULL, run_id = NULL, failures = 0, last_error = NULL,
      next_check_at = now() + interval '1 day', last_checked_at = now() WHERE checked_by = 'pod'`);
  await pool.query(rows()`UPDATE check_runs SET closed_at = now() WHERE closed_at IS NULL`);
}

const CLOCK_INTERVAL_MS = 10_000;
/** Multiples of the golden ratio spread evenly over an interval. */
const GOLDEN = 0.618_033_988_749_895;

/**
 * Milliseconds since a check of the pipeline was last due, so always less than the interval. For a check that
 * is late by more than one interval, this is too little. The scheduled checks of a pipeline are due at a
 * fixed fraction of each interval, as in `src/domain/scheduling/next-check.ts`.
 */
function sinceDue(pipeline: number, at: Date): number {
  const offset = ((pipeline * GOLDEN) % 1) * CLOCK_INTERVAL_MS;
  return (at.getTime() - offset) % CLOCK_INTERVAL_MS;
}

/** Seconds from when the operator's checks were due until their versions were found, by `sinceDue`. */
async function lateness(pool: DatabasePool, from: Date) {
  const found = await pool.any(rows<{ pipeline: number; at: Date }>()`
    SELECT s.pipeline_id AS pipeline, v.found_at AS at FROM versions v JOIN check_scopes s ON s.id = v.scope_id
    WHERE s.checked_by = 'operator' AND v.found_at >= ${from.toISOString()}`);
  const late = found.map(({ pipeline, at }) => sinceDue(pipeline, at)).toSorted((a, b) => a - b);
  const percentile = (share: number): string =>
    ((late[Math.floor((late.length - 1) * share)] ?? 0) / 1000).toFixed(2);
  return { checks: late.length, median: percentile(0.5), p99: percentile(0.99), max: percentile(1) };
}

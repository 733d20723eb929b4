import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { parse } from 'yaml';
import { migrate } from '#adapters/database/migrate.ts';
import { openPool, rows } from '#adapters/database/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Kind } from '#adapters/kubernetes/api/kinds.ts';
import { startApiServer, type OwnApiServer } from '#testing/api-server.ts';
import { startPostgres } from '#testing/postgres-server.ts';
import { costOf, type Cost } from './process-cost.ts';
import { circumstances, numberFlag, table } from './table.ts';

/*
 * What an installation costs that has nothing to do, and whether checks are late: the operator as it is shipped (`make dist`), over a real
 * API server and a Postgres with fsync of their own, without nodes.
 *
 *   node config/measure/checks.ts [--pipelines 1000] [--clocks 300] [--seconds 60]
 *
 * First that many pipelines of five resources each, none of them due; then resources of type cron that are checked every 10 s.
 */
const pipelines = numberFlag('pipelines', 1000);
const clocks = numberFlag('clocks', 300);
const seconds = numberFlag('seconds', 60);
const TEAMS = 10;
/** The operator is no more. */
let ended = false;
const PER_PIPELINE = 5;
const PROGRAM = new URL('../../dist/millrace.js', import.meta.url).pathname;
const NAMESPACE = 'millrace-system';
const DEFINITIONS: Kind<object> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

if (!existsSync(PROGRAM)) throw new Error(`There is no ${PROGRAM}: run make dist first.`);
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
  await prepare(client);
  const operator = startOperator(api.kubeconfig, url);
  operator.once('exit', () => {
    ended = true;
  });
  const pid = operator.pid ?? 0;
  const lines: string[][] = [];
  const note = (name: string, cost: Cost): void =>
    void lines.push([
      name,
      `${cost.cpuPercent.toFixed(1)} %`,
      `${cost.rss} MB`,
      `${cost.children} MB`,
      `${cost.mostRss} MB`,
    ]);
  try {
    await loaded(pool, 0);
    note('nothing at all', await costOf(pid, seconds));
    const begun = performance.now();
    await each(pipelines, (n) => applyPipeline(client, n, quiet(n)));
    await loaded(pool, pipelines);
    const took = (performance.now() - begun) / 1000;
    console.error(`${pipelines} pipelines are applied after ${took.toFixed(0)} s`);
    await settle(pool);
    // The compiler rests after half a minute.
    await sleep(45_000);
    note(
      `${pipelines} pipelines, ${pipelines * PER_PIPELINE} resources, nothing due`,
      await costOf(pid, seconds),
    );
    const ticking = Math.ceil(clocks / PER_PIPELINE);
    await each(ticking, (n) => applyPipeline(client, pipelines + n, ticks(n)));
    await loaded(pool, pipelines + ticking);
    await sleep(20_000);
    const from = new Date();
    note(`… and ${clocks} of type cron at 10 s`, await costOf(pid, seconds));
    const late = await lateness(pool, from);
    console.log(table(['operator', 'of one core', 'RSS', 'of it in children', 'most RSS'], lines));
    console.log(
      `\n${late.checks} checks in ${seconds} s: late by ${late.median} s in the median, ${late.p99} s at p99, ${late.most} s at most`,
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
  return spawn(process.execPath, [PROGRAM, 'operator'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      KUBECONFIG: kubeconfig,
      MILLRACE_DATABASE_URL: url,
      MILLRACE_NAMESPACE: NAMESPACE,
      MILLRACE_RELEASE: 'millrace',
      MILLRACE_POD_NAME: 'operator-0',
      MILLRACE_IMAGE: 'localhost/millrace:1',
      MILLRACE_INTERNAL_URL: 'https://gateway.example.test:8443',
      MILLRACE_METRICS_LISTEN: '127.0.0.1:0',
      MILLRACE_LOG_LEVEL: 'warn',
    },
  });
}

interface Named {
  metadata?: { name?: string; namespace?: string };
}

async function prepare(client: ApiClient): Promise<void> {
  const folder = new URL('../../crds/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const definition: object = parse(readFileSync(new URL(file, folder), 'utf8'));
    orThrow(await client.create(DEFINITIONS, definition), `making ${file}`);
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  orThrow(await client.create(KINDS.namespaces, namespace), 'making the namespace');
  await sleep(2000);
  for (let team = 0; team < TEAMS; team += 1) {
    const object = {
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'Team',
      metadata: { name: `team-${team}` },
      spec: {},
    };
    orThrow(await client.create<Named>(KINDS.teams, object), 'making a team');
  }
}

async function applyPipeline(client: ApiClient, number: number, config: string): Promise<void> {
  const metadata = { namespace: `team-${number % TEAMS}`, name: `pipeline-${number}` };
  const object = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', metadata, spec: { config } };
  for (let tries = 0; ; tries += 1) {
    const answer = await client.create<Named>(KINDS.pipelines, object);
    if (answer.ok) return;
    // Its team's namespace may not be there yet.
    if (tries > 100) throw new Error(answer.message);
    await sleep(200);
  }
}

/** A few at a time, as a deployment tool would. */
async function each(count: number, act: (number: number) => Promise<void>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const lane = async (): Promise<void> => {
    for (const number of numbers) await act(number);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

function job(resource: string, name: string): string {
  const task = '  task "t" {\n    run "shell" {\n      cmd = "true"\n    }\n  }\n';
  return `job "${name}" {\n  get ${resource} {}\n${task}}\n`;
}

function quiet(number: number): string {
  const names = Array.from({ length: PER_PIPELINE }, (_, n) => `r${n}`);
  const resources = names.map(
    (name) =>
      `resource "git" "${name}" {\n  check_interval = "@every 24h"\n  params {\n    url  = "https://git.example.test/${number}/${name}.git"\n    name = "${name}"\n  }\n}\n`,
  );
  return [...resources, ...names.map((name) => job(`"git" "${name}"`, `job-${name}`))].join('');
}

function ticks(_number: number): string {
  const names = Array.from({ length: PER_PIPELINE }, (_, n) => `c${n}`);
  const resources = names.map((name) => `resource "cron" "${name}" {\n  check_interval = "@every 10s"\n}\n`);
  return [...resources, job('"cron" "c0"', 'tick')].join('');
}

async function loaded(pool: DatabasePool, wanted: number): Promise<void> {
  const limit = Date.now() + 240_000;
  for (;;) {
    const ready = await pool.oneFirst(rows<{ count: number }>()`
      SELECT count(*) FROM pipelines WHERE revision > 0`);
    const teams = await pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM teams`);
    if (ready >= wanted && teams >= TEAMS) return;
    if (ended) throw new Error('the operator has ended');
    if (Date.now() > limit) throw new Error(`${ready} of ${wanted} pipelines are there after ten minutes`);
    await sleep(250);
  }
}

/** As if every first check had been done. */
async function settle(pool: DatabasePool): Promise<void> {
  await pool.query(rows()`
    UPDATE check_scopes SET requested_at = NULL, requested_cause = NULL, run_id = NULL, failures = 0, last_error = NULL,
      next_check_at = now() + interval '1 day', last_checked_at = now() WHERE checked_by = 'pod'`);
  await pool.query(rows()`UPDATE check_runs SET closed_at = now() WHERE closed_at IS NULL`);
}

/** Time from when a check was due, by the pace of its pipeline, to its version. */
async function lateness(pool: DatabasePool, from: Date) {
  const golden = 0.618_033_988_749_895;
  const found = await pool.any(rows<{ pipeline: number; at: Date }>()`
    SELECT s.pipeline_id AS pipeline, v.found_at AS at FROM versions v JOIN check_scopes s ON s.id = v.scope_id
    WHERE s.checked_by = 'operator' AND v.found_at >= ${from.toISOString()}`);
  const late = found
    .map(
      ({ pipeline, at }) =>
        (((at.getTime() - ((pipeline * golden) % 1) * 10_000) % 10_000) + 10_000) % 10_000,
    )
    .toSorted((a, b) => a - b);
  const at = (share: number): string =>
    ((late[Math.floor((late.length - 1) * share)] ?? 0) / 1000).toFixed(2);
  return { checks: late.length, median: at(0.5), p99: at(0.99), most: at(1) };
}

import { Client } from 'pg';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import { migrate } from '#adapters/database/migrate.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import { databaseUrl } from '#testing/postgres/test-database.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { storesOver, toSave } from '#testing/stores/stores.ts';
import { fillHistory, widePipeline } from './scheduling-history.ts';
import { scansIn } from './scheduling-plans.ts';

/*
 * How long one scheduling decision takes, database included, and whether that grows with history (ADR 0010):
 * a pipeline of 200 jobs and 50 resources with 10,000, 100,000 and 1,000,000 builds and as many versions, on
 * a separate Postgres with fsync.
 *
 *   node bench/scheduling/scheduling.ts [--runs 100] [--least 10000] [--most 1000000]
 *
 * Two references alternate with the decisions on the same pool of connections: a query that reads no table,
 * and a transaction that writes one row.
 */
const runs = numberFlag('runs', 100);
const least = numberFlag('least', 10_000);
const most = numberFlag('most', 1_000_000);
const WARM_UP = 10;
const SIZES = [10_000, 100_000, 1_000_000].filter((size) => size >= least && size <= most);
const EXPLAINED = 20;
const NEW_VERSION = 'a new version: 4 jobs decided, 2 builds';

type Operation = (run: number) => Promise<void>;
/** An operation that is timed, and the preparation before it, which is not. */
interface Measure {
  prepare?: Operation;
  operation: Operation;
}
interface FilledDatabase {
  url: string;
  pool: DatabasePool;
  measures: Record<string, Measure>;
}

const log: string[] = [];
const server = await startPostgres({ durable: true, onLog: (line) => log.push(line) });
try {
  console.log(`${circumstances()}\n`);
  const columns: Map<string, string>[] = [];
  let plans: string[][] = [];
  for (const size of SIZES) {
    const database = await fillDatabase(size);
    columns.push(await measureAll(database.measures));
    plans = await plansOf(database);
    await database.pool.end();
  }
  const [first] = columns;
  const head = ['median, p90', ...SIZES.map((size) => `${size.toLocaleString('en')} builds`)];
  const lines = [...(first?.keys() ?? [])].map((name) => [
    name,
    ...columns.map((column) => column.get(name) ?? ''),
  ]);
  console.log(table(head, lines));
  console.log(`\nHow ${2 * EXPLAINED} decisions read the tables that grow, with the most builds:\n`);
  console.log(table(['table', 'read by', 'rows returned', 'scans', 'heap fetches'], plans));
  console.log(`\n${circumstances()}`);
} finally {
  await server.stop();
}

async function fillDatabase(size: number): Promise<FilledDatabase> {
  const name = `history_${size}`;
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = databaseUrl(server.url, name);
  await migrate(url);
  const pool = await openPool(url, { maximumConnections: 4 });
  const stores = storesOver({ pool });
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(widePipeline()));
  await fillHistory(url, { versions: size, builds: size });
  await pool.query(
    rows()`CREATE TABLE measured (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text)`,
  );
  return { url, pool, measures: measuresOf(pool, saved) };
}

function measuresOf(pool: DatabasePool, saved: { id: number }): Record<string, Measure> {
  const { builds, checks } = storesOver({ pool });
  /**
   * Decides until no job is left: one decision takes a limited number of jobs. Throws unless the decisions
   * create `expected` builds.
   */
  const decide = async (expected: number): Promise<void> => {
    let count = 0;
    for (let more = true; more;) {
      const decided = await scheduleOn({ builds }, saved.id, new Date());
      count += decided.builds.length;
      ({ more } = decided);
    }
    if (count !== expected) throw new Error(`${count} builds instead of ${expected}`);
  };
  const newVersion: Operation = async (run) => {
    await checks.requestCheck({ team: 'main', pipeline: 'app', resource: 'git.r7' }, 'manual', new Date());
    const [due] = await checks.dueChecks(new Date(), 1);
    const opened = await checks.openRun([due?.scope ?? 0], 'manual', new Date());
    const version = { ref: `${run}-${Math.random()}` };
    const outcome = { scope: due?.scope ?? 0, versions: [version], log: '' };
    await checks.recordCheck({ run: opened?.run ?? 0, ...outcome }, new Date());
    await checks.closeRun(opened?.run ?? 0, new Date());
  };
  return {
    'select 1': { operation: async () => void (await pool.query(rows()`SELECT 1`)) },
    'begin, insert, commit': {
      operation: async () => {
        await pool.transaction(async (connection) => {
          await connection.query(rows()`INSERT INTO measured (text) VALUES ('x')`);
        });
      },
    },
    [NEW_VERSION]: { prepare: newVersion, operation: () => decide(2) },
    'both builds succeeded: 2 jobs decided, 2 builds': {
      prepare: () => endAll(pool),
      operation: () => decide(2),
    },
    'all 200 jobs decided, no build': {
      prepare: async () => {
        await endAll(pool);
        await pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
      },
      operation: () => decide(0),
    },
  };
}

/** Ends all builds as succeeded and requests decisions on the jobs downstream of them, as the store does. */
async function endAll(pool: DatabasePool): Promise<void> {
  await pool.query(rows()`
    WITH ended AS (
      UPDATE builds SET status = 'succeeded', wants_pod = false, ended_at = now() WHERE ended_at IS NULL
      RETURNING id, job_id),
    good AS (
      INSERT INTO good_versions (job_id, resource_id, version_id, build_id)
      SELECT i.job_id, i.resource_id, i.version_id, i.build_id FROM build_inputs i JOIN ended e ON e.id = i.build_id)
    UPDATE jobs SET schedule_requested = schedule_requested + 1 WHERE id IN (
      SELECT g.job_id FROM job_gets g JOIN ended e ON g.passed @> ARRAY[e.job_id])`);
}

async function measureAll(measures: Record<string, Measure>): Promise<Map<string, string>> {
  const samples = new Map(Object.keys(measures).map((name): [string, number[]] => [name, []]));
  for (let run = -WARM_UP; run < runs; run += 1) {
    for (const [name, { prepare, operation }] of Object.entries(measures)) {
      await prepare?.(run);
      const startedAt = performance.now();
      await operation(run);
      if (run >= 0) samples.get(name)?.push(performance.now() - startedAt);
    }
  }
  return new Map(
    [...samples].map(([name, durations]) => {
      const { median, p90 } = summarise(durations);
      return [name, `${median.toFixed(1)} ms, ${p90.toFixed(1)} ms`];
    }),
  );
}

/** Decides on a separate connection whose plans Postgres logs. Returns how the growing tables were read. */
async function plansOf({ url, pool }: FilledDatabase): Promise<string[][]> {
  const explain = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_nested_statements': 'on',
  };
  const settings = Object.entries(explain).map(([name, value]) => `-c ${name}=${value}`);
  const explainedUrl = new URL(url);
  explainedUrl.searchParams.set('options', settings.join(' '));
  const explainedPool = await openPool(explainedUrl.href, { maximumConnections: 1 });
  const id = await explainedPool.oneFirst(rows<{ id: number }>()`SELECT id FROM pipelines`);
  const measures = measuresOf(pool, { id });
  const { builds } = storesOver({ pool: explainedPool });
  const newVersion = measures[NEW_VERSION];
  const decision = async (run: number): Promise<void> => {
    await newVersion?.prepare?.(run);
    await scheduleOn({ builds }, id, new Date());
    await endAll(pool);
    await scheduleOn({ builds }, id, new Date());
  };
  for (let run = 0; run < WARM_UP; run += 1) await decision(run);
  log.length = 0;
  for (let run = 0; run < EXPLAINED; run += 1) await decision(run);
  await explainedPool.end();
  return scansIn(log);
}

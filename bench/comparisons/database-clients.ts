import { Client, Pool } from 'pg';
import { createPool, sql } from 'slonik';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';

/*
 * Queries per second of slonik, with and without the DISCARD ALL that it runs when it releases a connection,
 * compared with pg alone. Also inserts that are committed per second, with and without a NOTIFY in the same
 * transaction (docs/adr/0006):
 *
 *   node bench/comparisons/database-clients.ts [--rounds 5]
 *
 * It starts a separate Postgres with fsync. Contestants take turns; a turn is two seconds of ten callers.
 */
const rounds = numberFlag('rounds', 5);
const TURN_MS = 2000;
const CALLERS = 10;

const server = await startPostgres({ durable: true });
try {
  console.log(circumstances());
  await compare(server.url);
  console.log(circumstances());
} finally {
  await server.stop();
}

type Query = () => Promise<unknown>;

async function compare(url: string): Promise<void> {
  const pgPool = new Pool({ connectionString: url, max: CALLERS });
  await pgPool.query(
    'CREATE TABLE measured (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)',
  );
  await pgPool.query("INSERT INTO measured (text) SELECT 'x' FROM generate_series(1, 1000)");
  const slonikPool = await createPool(url, { maxPoolSize: CALLERS });
  const slonikWithoutReset = await createPool(url, {
    maxPoolSize: CALLERS,
    resetConnection: () => Promise.resolve(),
  });
  const listener = new Client({ connectionString: url });
  // The server may stop before the last connection has closed.
  for (const pool of [slonikPool, slonikWithoutReset]) pool.on('error', () => undefined);
  pgPool.on('error', () => undefined);
  listener.on('error', () => undefined);
  await listener.connect();
  await listener.query('LISTEN measured');
  const insert = "INSERT INTO measured (text) VALUES ('y')";
  const reads: Record<string, Query> = {
    'pg alone': () => pgPool.query('SELECT text FROM measured WHERE id = $1', [7]),
    'slonik, DISCARD ALL': () => slonikPool.any(sql.unsafe`SELECT text FROM measured WHERE id = ${7}`),
    'without DISCARD': () => slonikWithoutReset.any(sql.unsafe`SELECT text FROM measured WHERE id = ${7}`),
  };
  const writes: Record<string, Query> = {
    'pg alone': () => pgPool.query(insert),
    'slonik, DISCARD ALL': () => slonikPool.query(sql.unsafe`INSERT INTO measured (text) VALUES ('y')`),
    'without DISCARD': () => slonikWithoutReset.query(sql.unsafe`INSERT INTO measured (text) VALUES ('y')`),
  };
  const notifications: Record<string, Query> = {
    'no NOTIFY': () => pgPool.query(insert),
    'NOTIFY in the same transaction': () =>
      pgPool.query(`WITH made AS (${insert} RETURNING id) SELECT pg_notify('measured', id::text) FROM made`),
  };
  console.log(`\n${await compareRates('one row by its key', reads)}`);
  console.log(`\n${await compareRates('one row written and committed', writes)}`);
  console.log(`\n${await compareRates('one row written and committed with pg', notifications)}\n`);
  await Promise.all([pgPool.end(), slonikPool.end(), slonikWithoutReset.end(), listener.end()]);
}

async function compareRates(title: string, contestants: Record<string, Query>): Promise<string> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, query] of Object.entries(contestants)) {
      const rate = await measureRate(query);
      // The first round opens connections and does not count.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const [first] = rates.keys();
  const reference = summarise(rates.get(first ?? '') ?? []).median;
  const rows = [...rates].map(([name, samples]) => {
    const { median } = summarise(samples);
    const range = `${Math.min(...samples).toFixed(0)}–${Math.max(...samples).toFixed(0)}`;
    return [name, median.toFixed(0), range, (median / reference).toFixed(2)];
  });
  return table([title, 'per second, median', 'range', 'ratio'], rows);
}

/** Queries per second of `CALLERS` concurrent callers. */
async function measureRate(query: Query): Promise<number> {
  let done = 0;
  const startedAt = performance.now();
  const caller = async (): Promise<void> => {
    while (performance.now() - startedAt < TURN_MS) {
      await query();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (done * 1000) / (performance.now() - startedAt);
}

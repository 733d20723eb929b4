import { Client, Pool } from 'pg';
import { createPool, sql } from 'slonik';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';

/*
 * The cost of one query through slonik, with and without its DISCARD ALL at each release, compared with pg
 * alone. Also the cost of a NOTIFY inside the transaction for others that commit at the same time
 * (docs/adr/0006):
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
  const plain = new Pool({ connectionString: url, max: CALLERS });
  await plain.query(
    'CREATE TABLE measured (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)',
  );
  await plain.query("INSERT INTO measured (text) SELECT 'x' FROM generate_series(1, 1000)");
  const usual = await createPool(url, { maxPoolSize: CALLERS });
  const bare = await createPool(url, { maxPoolSize: CALLERS, resetConnection: () => Promise.resolve() });
  const listener = new Client({ connectionString: url });
  // The server may stop before the last connection has closed.
  for (const one of [usual, bare]) one.on('error', () => undefined);
  plain.on('error', () => undefined);
  listener.on('error', () => undefined);
  await listener.connect();
  await listener.query('LISTEN measured');
  const insert = "INSERT INTO measured (text) VALUES ('y')";
  const reads: Record<string, Query> = {
    'pg alone': () => plain.query('SELECT text FROM measured WHERE id = $1', [7]),
    'slonik, DISCARD ALL': () => usual.any(sql.unsafe`SELECT text FROM measured WHERE id = ${7}`),
    'slonik, without': () => bare.any(sql.unsafe`SELECT text FROM measured WHERE id = ${7}`),
  };
  const writes: Record<string, Query> = {
    'pg alone': () => plain.query(insert),
    'slonik, DISCARD ALL': () => usual.query(sql.unsafe`INSERT INTO measured (text) VALUES ('y')`),
    'slonik, without': () => bare.query(sql.unsafe`INSERT INTO measured (text) VALUES ('y')`),
  };
  const notes: Record<string, Query> = {
    'no NOTIFY': () => plain.query(insert),
    'NOTIFY in the same transaction': () =>
      plain.query(`WITH made AS (${insert} RETURNING id) SELECT pg_notify('measured', id::text) FROM made`),
  };
  console.log(`\n${await contest('one row by its key', reads)}`);
  console.log(`\n${await contest('one row written and committed', writes)}`);
  console.log(`\n${await contest('the same with pg', notes)}\n`);
  await Promise.all([plain.end(), usual.end(), bare.end(), listener.end()]);
}

async function contest(what: string, contestants: Record<string, Query>): Promise<string> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, query] of Object.entries(contestants)) {
      const rate = await turn(query);
      // The first round opens connections and does not count.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const [first] = rates.keys();
  const best = summarise(rates.get(first ?? '') ?? []).median;
  const rows = [...rates].map(([name, found]) => {
    const { median } = summarise(found);
    const range = `${Math.min(...found).toFixed(0)}–${Math.max(...found).toFixed(0)}`;
    return [name, median.toFixed(0), range, (median / best).toFixed(2)];
  });
  return table([what, 'a second, median', 'range', 'ratio'], rows);
}

/** Queries per second of ten concurrent callers. */
async function turn(query: Query): Promise<number> {
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

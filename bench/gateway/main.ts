import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from '#adapters/database/connection/pool.ts';
import { createLogPartitions, migrate } from '#adapters/database/migrate.ts';
import { circumstances, table } from '#bench/table.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import { storesOver, WEBHOOK_KEY } from '#testing/stores/stores.ts';
import { drawing } from './drawing.ts';
import { PROGRAM, startGateway } from './gateway.ts';
import { idle } from './idle.ts';
import type { Part } from './part.ts';
import { pictures } from './pictures.ts';
import { wrongPasswords } from './sign-in.ts';
import { streams } from './streams.ts';
import { webhooks } from './webhooks.ts';

/*
 * Throughput, delays and memory of the released public gateway on this machine (`make dist`), with a separate
 * Postgres with fsync. The load comes from this process and takes its share of the same cores. The part
 * `drawing` needs no gateway (docs/benchmarks.md):
 *
 *   node bench/gateway/main.ts [--only <part>,<part>]      make bench-gateway
 */
const PARTS: Part[] = [idle, webhooks, drawing, pictures, wrongPasswords, streams];

const parts = partsToMeasure();
if (!existsSync(PROGRAM)) throw new Error(`There is no ${PROGRAM}: run make dist first.`);
console.log(`${circumstances()}\n`);
const postgres = await startPostgres({ durable: true });
const keys = await mkdtemp(join(tmpdir(), 'millrace-bench-keys-'));
try {
  await migrate(postgres.url);
  const pool = await openPool(postgres.url, { maximumConnections: 4, onError: () => undefined });
  await createLogPartitions(pool, new Date());
  for (const name of ['webhook', 'session'])
    await writeFile(join(keys, name), WEBHOOK_KEY.toString('base64url'));
  const environment = {
    pool,
    stores: storesOver({ pool }),
    databaseUrl: postgres.url,
    startGateway: async () => await startGateway(postgres.url, keys),
  };
  const rows: string[][] = [];
  for (const part of parts) {
    console.error(`${part.name} …`);
    rows.push(...(await part.measure(environment)));
  }
  await pool.end();
  console.log(table(['Measure', 'Figure', 'Aim'], rows));
} finally {
  await postgres.stop();
  await rm(keys, { recursive: true });
}
console.log(`\n${circumstances()}`);

function partsToMeasure(): Part[] {
  const at = process.argv.indexOf('--only');
  if (at === -1) return PARTS;
  const names = (process.argv[at + 1] ?? '').split(',');
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0)
    throw new Error(
      `There is no part ${unknown.join(', ')}. The parts are ${PARTS.map((part) => part.name).join(', ')}.`,
    );
  return PARTS.filter((part) => names.includes(part.name));
}

import { join } from 'node:path';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { sql, type DatabasePool } from 'slonik';
import { defined } from '#defined';
import { rows } from './connection/pool.ts';
import { parseDatabaseUrl } from './connection/url.ts';

/** The folder of migrations is beside this file in the sources, and beside the bundle in the image. */
const MIGRATIONS = join(import.meta.dirname, 'migrations');
const MONTHS_AHEAD = 3;

export interface MigrateOptions {
  /** Authority of the server's certificate (PEM). Absent: as the URL says. */
  certificateAuthority?: string | undefined;
  log?: (message: string) => void;
}

/**
 * In effect no limit. The pool's limit for queries would abort a long migration, or the wait while another
 * process migrates.
 */
const NO_LIMIT_MS = 2 ** 31 - 1;
/**
 * Client and server notice a dead connection within 30 seconds, so that a dead process does not hold the lock
 * of migrations for hours.
 */
const KEEPALIVE_SECONDS = { idle: 10, interval: 5, count: 3 };

/**
 * Migrates the schema and returns the new migrations. Of several processes, one migrates and the others wait.
 * Must not go through a transaction pooler.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const log = options.log ?? (() => undefined);
  const parsed = parseDatabaseUrl(url, options.certificateAuthority);
  const client = new Client({
    connectionString: parsed.url,
    ...defined({ ssl: parsed.ssl }),
    connectionTimeoutMillis: 5000,
    query_timeout: NO_LIMIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_SECONDS.idle * 1000,
  });
  // Without a listener, a broken connection would end the process. With one, the running query fails.
  client.on('error', (error) => log(`The connection of the migration broke: ${error.message}`));
  await client.connect();
  try {
    for (const [name, value] of Object.entries(KEEPALIVE_SECONDS)) {
      await client.query(`SELECT set_config($1, $2, false)`, [`tcp_keepalives_${name}`, String(value)]);
    }
    const migrations = await runner({
      dbClient: client,
      dir: MIGRATIONS,
      direction: 'up',
      migrationsTable: 'migrations',
      advisoryLockMode: 'wait',
      singleTransaction: true,
      logger: { info: () => undefined, warn: log, error: log },
    });
    return migrations.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/**
 * Creates the log tables of this month and the next ones. Run it after `migrate` and once a day. Of several
 * processes, one creates a table and the others wait.
 */
export async function createLogPartitions(pool: DatabasePool, at: Date): Promise<string[]> {
  const created: string[] = [];
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
    const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 1));
    const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead + 1, 1));
    const name = `build_logs_${day(first).slice(0, 7).replace('-', '_')}`;
    if (await createPartition(pool, name, [day(first), day(next)])) created.push(name);
  }
  return created;
}

async function createPartition(
  pool: DatabasePool,
  name: string,
  [from, to]: [string, string],
): Promise<boolean> {
  if (await hasTable(pool, name)) return false;
  return await pool.transaction(async (connection) => {
    await connection.query(rows()`SELECT pg_advisory_xact_lock(${PG_MIGRATE_LOCK_ID})`);
    if (await hasTable(connection, name)) return false;
    await connection.query(sql.unsafe`
      CREATE TABLE ${sql.identifier([name])} PARTITION OF build_logs
      FOR VALUES FROM (${sql.literalValue(from)}) TO (${sql.literalValue(to)})`);
    return true;
  });
}

/**
 * Reads the catalog. `to_regclass` may still miss what another process created during the wait for the lock.
 */
async function hasTable(connection: Pick<DatabasePool, 'oneFirst'>, name: string): Promise<boolean> {
  return await connection.oneFirst(
    rows<{ exists: boolean }>()`
      SELECT EXISTS (SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'build_logs'::regclass AND c.relname = ${name}) AS exists`,
  );
}

const day = (date: Date): string => date.toISOString().slice(0, 10);

import { join } from 'node:path';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { sql, type DatabasePool } from 'slonik';
import { defined } from '#defined';
import { rows } from './connection/pool.ts';
import { parseDatabaseUrl } from './connection/url.ts';

/** The folder is beside this file in the sources, and beside the bundle in the image. */
const MIGRATIONS_FOLDER = join(import.meta.dirname, 'migrations');
/** How many months after this one already have a log table. */
const MONTHS_AHEAD = 3;

export interface MigrateOptions {
  /** Certificate authority (PEM). Replaces the `sslrootcert` of the URL. */
  certificateAuthority?: string | undefined;
  log?: (message: string) => void;
}

/**
 * In effect no limit (24 days). The driver's default, which `openPool` sets, would abort a long migration or
 * the wait for another process that migrates.
 */
const NO_LIMIT_MS = 2 ** 31 - 1;
/**
 * Settings by which the server notices a dead connection within 30 seconds, so that a dead process does not
 * hold the lock of migrations for hours. `idle` and `interval` are seconds, `count` is a number of probes.
 */
const TCP_KEEPALIVES = { idle: 10, interval: 5, count: 3 };

/**
 * Migrates the schema and returns the names of the migrations that it ran. If several processes call it, one
 * migrates and the others wait. The URL must not lead to a transaction pooler.
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
    keepAliveInitialDelayMillis: TCP_KEEPALIVES.idle * 1000,
  });
  // Without a listener, a broken connection would end the process. With one, the running query fails.
  client.on('error', (error) => log(`The connection of the migration broke: ${error.message}`));
  await client.connect();
  try {
    // `preferIndexes` turns this setting off for the database, but a migration may have to read a whole
    // table.
    await client.query(`SELECT set_config('enable_seqscan', 'on', false)`);
    for (const [name, value] of Object.entries(TCP_KEEPALIVES)) {
      await client.query(`SELECT set_config($1, $2, false)`, [`tcp_keepalives_${name}`, String(value)]);
    }
    const migrations = await runner({
      dbClient: client,
      dir: MIGRATIONS_FOLDER,
      direction: 'up',
      migrationsTable: 'migrations',
      advisoryLockMode: 'wait',
      singleTransaction: true,
      logger: { info: () => undefined, warn: log, error: log },
    });
    await preferIndexes(client, log);
    return migrations.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/**
 * Makes Postgres prefer indexes in every later connection to this database. Otherwise a prepared statement
 * that was planned while its tables were nearly empty would go on reading them whole when a burst of builds
 * fills them. `jit` is off too: with `enable_seqscan` off, a scan without an index looks so expensive that
 * Postgres would compile its plan.
 *
 * It runs at every start and is not a migration, because a copy or a restored dump of a database may lack
 * these settings. If the user may not change them, it only logs that.
 */
export async function preferIndexes(
  client: Client,
  log: (message: string) => void = () => undefined,
): Promise<void> {
  try {
    // Without the lock, one of two processes fails: "tuple concurrently updated".
    await client.query(`SELECT pg_advisory_xact_lock(${PG_MIGRATE_LOCK_ID});
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
        EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
      END $$`);
  } catch (error) {
    const why = Error.isError(error) ? error.message : String(error);
    log(
      `Cannot set enable_seqscan and jit of the database: ${why}. Bursts of builds may be slow. ` +
        'Let the user of Millrace own the database, or set both to off with ALTER DATABASE.',
    );
  }
}

/**
 * Creates the missing log tables of this month and the next ones, and returns their names. Run it after
 * `migrate` and once a day. If several processes call it, one creates a table and the others wait.
 */
export async function createLogPartitions(pool: DatabasePool, now: Date): Promise<string[]> {
  const created: string[] = [];
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
    const firstDay = firstDayOfMonth(now, ahead);
    const name = `build_logs_${firstDay.slice(0, 7).replace('-', '_')}`;
    if (await createPartition(pool, name, [firstDay, firstDayOfMonth(now, ahead + 1)])) created.push(name);
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
 * Reads the catalog, because `to_regclass` may miss a table that another process created while this process
 * waited for the lock.
 */
async function hasTable(connection: Pick<DatabasePool, 'oneFirst'>, name: string): Promise<boolean> {
  return await connection.oneFirst(
    rows<{ exists: boolean }>()`
      SELECT EXISTS (SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'build_logs'::regclass AND c.relname = ${name}) AS exists`,
  );
}

/** Returns the first day, as `2031-11-01`, of the month that is `monthsAhead` months after that of `now`. */
function firstDayOfMonth(now: Date, monthsAhead: number): string {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAhead, 1));
  return first.toISOString().slice(0, 10);
}

import { Client } from 'pg';
import { migrate } from '#adapters/database/migrate.ts';
import { choosePostgres } from '#testing/postgres/choose-postgres.ts';
import { startPostgres, type PostgresServer } from '#testing/postgres/postgres-server.ts';
import { databaseUrl, SERVER_VARIABLE, TEMPLATE } from '#testing/postgres/test-database.ts';

declare global {
  /** Read by stop-postgres.ts. */
  var millracePostgres: PostgresServer | undefined;
}

/**
 * Jest calls this once before the integration tests. It starts one server with a migrated template that each
 * test file copies.
 */
export default async function setUp(): Promise<void> {
  const engine = await choosePostgres(process.env['MILLRACE_TEST_POSTGRES']);
  const server = await startPostgres({ engine });
  try {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
    await client.end();
    await migrate(databaseUrl(server.url, TEMPLATE));
  } catch (error) {
    await server.stop();
    throw error;
  }
  process.env[SERVER_VARIABLE] = server.url;
  globalThis.millracePostgres = server;
}

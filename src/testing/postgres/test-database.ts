import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { preferIndexes } from '#adapters/database/migrate.ts';

export const SERVER_VARIABLE = 'MILLRACE_TEST_DATABASE_SERVER';
export const TEMPLATE = 'millrace_template';

/** The URL of another database on the same server. */
export function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Creates a migrated database on the server of this jest run. */
export async function makeDatabase(): Promise<TestDatabase> {
  const server = process.env[SERVER_VARIABLE];
  if (server === undefined) throw new Error('No Postgres: run with `jest --selectProjects integration`.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = databaseUrl(server, name);
  await onServer(server, async (client) => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  });
  // A copy does not have the settings of its template.
  await onServer(url, preferIndexes);
  return {
    url,
    drop: async () =>
      await onServer(server, async (client) => {
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }),
  };
}

async function onServer(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  // Pools set the driver's default timeout, and a test may set a short one.
  const client = new Client({ connectionString: url, query_timeout: 60_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

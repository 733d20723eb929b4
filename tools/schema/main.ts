import { writeFile } from 'node:fs/promises';
import { openPool } from '#adapters/database/connection/pool.ts';
import { migrate } from '#adapters/database/migrate.ts';
import { dumpSchema } from '#testing/postgres/dump-schema.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';

/** Writes `src/adapters/database/schema.sql`: run it in the root of the checkout after adding a migration. */
const server = await startPostgres();
try {
  await migrate(server.url);
  const pool = await openPool(server.url);
  await writeFile('src/adapters/database/schema.sql', await dumpSchema(pool));
  await pool.end();
} finally {
  await server.stop();
}

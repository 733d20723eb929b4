import { writeFile } from 'node:fs/promises';
import { dumpSchema } from './dump-schema.ts';
import { migrate } from '#adapters/database/migrate.ts';
import { openPool } from '#adapters/database/pool.ts';
import { startPostgres } from './postgres-server.ts';

/** Writes `src/adapters/database/schema.sql` anew: run it after adding a migration. */
const server = await startPostgres();
try {
  await migrate(server.url);
  const pool = await openPool(server.url);
  await writeFile(new URL('../adapters/database/schema.sql', import.meta.url), await dumpSchema(pool));
  await pool.end();
} finally {
  await server.stop();
}

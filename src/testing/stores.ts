import { buildStore } from '#adapters/database/build-store.ts';
import { checkStore } from '#adapters/database/check-store.ts';
import { definitions } from '#adapters/database/definitions.ts';
import { leaderStore } from '#adapters/database/leader-store.ts';
import { makeLogPartitions } from '#adapters/database/migrate.ts';
import { pipelineStore } from '#adapters/database/pipeline-store.ts';
import { openPool, type Database } from '#adapters/database/pool.ts';
import { sessionStore } from '#adapters/database/session-store.ts';
import { teamStore } from '#adapters/database/team-store.ts';
import { views } from '#adapters/database/views.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PipelineToSave } from '#flows/ports.ts';
import { makeDatabase } from './test-database.ts';

export const WEBHOOK_KEY = Buffer.from('a key for tests only, 32 bytes..');

export type TestStores = Awaited<ReturnType<typeof openStores>>;

/** All stores over a database of their own. */
export async function openStores() {
  const database = await makeDatabase();
  const pool = await openPool(database.url, { maximumConnections: 20 });
  await makeLogPartitions(pool, new Date());
  return {
    url: database.url,
    pool,
    ...storesOver({ pool }),
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

export function storesOver(connections: Database) {
  const database = { ...connections, definitions: definitions(), webhookKey: WEBHOOK_KEY };
  return {
    teams: teamStore(database),
    pipelines: pipelineStore(database),
    checks: checkStore(database),
    builds: buildStore(database),
    sessions: sessionStore(database),
    leaders: leaderStore(database),
    views: views(database),
  };
}

export function toSave(definition: Pipeline, more: Partial<PipelineToSave> = {}): PipelineToSave {
  return {
    team: 'main',
    pipeline: 'app',
    namespace: 'main',
    uid: 'uid-1',
    public: false,
    config: '# of the test',
    digest: JSON.stringify(definition),
    definition,
    actor: 'tester',
    ...more,
  };
}

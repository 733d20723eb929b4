import { buildStore } from '#adapters/database/builds/build-store.ts';
import { imageStore } from '#adapters/database/builds/image-store.ts';
import { sessionStore } from '#adapters/database/builds/session-store.ts';
import { checkStore } from '#adapters/database/checks/check-store.ts';
import {
  openNotifications,
  type ClosableNotifications,
} from '#adapters/database/connection/notifications.ts';
import { openPool } from '#adapters/database/connection/pool.ts';
import { requireSchema } from '#adapters/database/newest-migration.ts';
import { accessStores, type AccessStores } from '#adapters/database/people/access-stores.ts';
import { actionStore } from '#adapters/database/pipelines/action-store.ts';
import { pipelineCaches } from '#adapters/database/pipelines/cache-rows.ts';
import { debugStore } from '#adapters/database/pipelines/debug-store.ts';
import { identityKeyStore } from '#adapters/database/pipelines/identity-key-store.ts';
import { renameRequests } from '#adapters/database/pipelines/rename-pipeline.ts';
import { secretStore, storedValues, type StoredValue } from '#adapters/database/pipelines/secret-store.ts';
import { cachedDefinitions } from '#adapters/database/revisions/definitions.ts';
import { showStore } from '#adapters/database/views/show-store.ts';
import { triggerStreams } from '#adapters/database/views/trigger-streams.ts';
import { viewStore } from '#adapters/database/views/view-store.ts';
import { databaseReadiness } from '#adapters/http/server/readiness.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { Readiness } from '#adapters/telemetry/metrics-server.ts';
import type { DatabaseConfig } from '#config';
import type { ActionStore } from '#flows/builds/action-ports.ts';
import type { DebugStore } from '#flows/builds/debug-ports.ts';
import type { ImageStore } from '#flows/builds/image-ports.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import type { SessionStore } from '#flows/builds/session-ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { TriggerStreams } from '#flows/checks/trigger-stream-ports.ts';
import { cacheLogSizes } from '#flows/people/cache-log-sizes.ts';
import type { CardStore } from '#flows/views/card-ports.ts';
import { completeViews } from '#flows/views/complete-views.ts';
import type { OverviewStore } from '#flows/views/overview-ports.ts';
import type { Views } from '#flows/views/ports.ts';

export interface GatewayDatabase {
  builds: BuildStore;
  actions: ActionStore;
  debug: DebugStore;
  checks: CheckStore;
  streams: TriggerStreams;
  sessions: SessionStore;
  images: ImageStore;
  views: Views;
  show: OverviewStore & CardStore;
  access: AccessStores;
  /**
   * Reads the values with these names that people stored for the pipeline or its team. A value of the
   * pipeline replaces the value of the team with the same name. Names without a value are left out.
   */
  storedValues: (pipelineId: number, names: string[]) => Promise<StoredValue[]>;
  notifications: ClosableNotifications;
  readiness: Readiness;
  close(): Promise<void>;
}

/**
 * Opens the connections of a gateway to the database. Tries for up to 60 s to make a first connection, then
 * throws. Later, readiness fails while the database does not answer.
 */
export async function openGatewayDatabase(config: DatabaseConfig, log: Log): Promise<GatewayDatabase> {
  const logError = (err: Error): void => log.warn({ err }, 'the connection to the database failed');
  const { certificateAuthority } = config;
  const pool = await openPool(config.url, { onError: logError, certificateAuthority });
  const notifications = openNotifications({
    url: config.listenUrl,
    pool,
    onError: logError,
    certificateAuthority,
  });
  const database = { pool, definitions: cachedDefinitions() };
  return {
    builds: buildStore(database),
    actions: actionStore(database),
    debug: debugStore(database),
    checks: checkStore(database),
    streams: triggerStreams(database),
    sessions: sessionStore(database),
    images: imageStore(database),
    views: completeViews(viewStore(database), () => new Date()),
    show: showStore(database),
    access: accessStores(
      database,
      {
        renames: renameRequests(database),
        secrets: secretStore(database),
        identityKeys: identityKeyStore(database),
        caches: pipelineCaches(database),
      },
      (sizes) => cacheLogSizes(sizes, () => performance.now()),
    ),
    storedValues: async (pipelineId, names) => await storedValues(pool, pipelineId, names),
    notifications,
    readiness: databaseReadiness(
      () => requireSchema(pool),
      (err) => log.warn({ err }, 'the database does not answer'),
    ),
    async close() {
      await notifications.close();
      await pool.end();
    },
  };
}

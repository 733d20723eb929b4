import { buildStore } from '#adapters/database/builds/build-store.ts';
import { warmPodStore } from '#adapters/database/builds/warm-pods.ts';
import { cacheStore } from '#adapters/database/caches/cache-store.ts';
import { checkStore } from '#adapters/database/checks/check-store.ts';
import { leaderStore } from '#adapters/database/connection/leader-store.ts';
import {
  openNotifications,
  type ClosableNotifications,
} from '#adapters/database/connection/notifications.ts';
import { openPool } from '#adapters/database/connection/pool.ts';
import { createLogPartitions, migrate } from '#adapters/database/migrate.ts';
import { accountStore } from '#adapters/database/people/account-store.ts';
import { oauthStore } from '#adapters/database/people/oauth-store.ts';
import { teamStore } from '#adapters/database/people/team-store.ts';
import { workerStore } from '#adapters/database/people/team-workers.ts';
import { removableCaches } from '#adapters/database/pipelines/cache-rows.ts';
import { debugStore } from '#adapters/database/pipelines/debug-store.ts';
import { identityKeyStore } from '#adapters/database/pipelines/identity-key-store.ts';
import { pipelineStore } from '#adapters/database/pipelines/pipeline-store.ts';
import { sealedRows, type SealedRows } from '#adapters/database/pipelines/sealed-rows.ts';
import { dropEmptyLogPartitions } from '#adapters/database/retention/drop-log-partitions.ts';
import { logStore } from '#adapters/database/retention/log-store.ts';
import { retentionStore } from '#adapters/database/retention/retention-store.ts';
import { cachedDefinitions } from '#adapters/database/revisions/definitions.ts';
import { viewStore } from '#adapters/database/views/view-store.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { DatabaseConfig } from '#config';
import type { DebugStore } from '#flows/builds/debug-ports.ts';
import type { LogStore } from '#flows/builds/limit-logs.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { OAuthStore } from '#flows/people/oauth-ports.ts';
import type { AccountStore } from '#flows/people/ports.ts';
import type { WorkerStore } from '#flows/people/record-workers.ts';
import type { TeamStore } from '#flows/people/team-ports.ts';
import type { RemovableCaches } from '#flows/pipelines/cache-ports.ts';
import type { IdentityKeyStore } from '#flows/pipelines/identity-key-ports.ts';
import type { PipelineStore } from '#flows/pipelines/ports.ts';
import type { CacheStore } from '#flows/pods/cache-ports.ts';
import type { WarmPodStore } from '#flows/pods/warm-ports.ts';
import type { RetentionStore } from '#flows/retention/retention-ports.ts';
import { completeViews } from '#flows/views/complete-views.ts';
import type { Views } from '#flows/views/ports.ts';

/**
 * The operator's stores in Postgres. Writes of the leader carry its epoch, and are refused once another
 * replica leads (`fence.ts`). Other writes carry no epoch, because replicas may run them concurrently: keys,
 * log partitions, forgotten shells, the first administrator and start times.
 */
export interface OperatorDatabase {
  teams: TeamStore;
  workers: WorkerStore;
  pipelines: PipelineStore;
  checks: CheckStore;
  builds: BuildStore;
  warmPods: WarmPodStore;
  caches: CacheStore;
  removableCaches: RemovableCaches;
  accounts: AccountStore;
  oauth: OAuthStore;
  views: Pick<Views, 'waiting'>;
  retention: RetentionStore;
  logs: LogStore;
  debug: Pick<DebugStore, 'withForgotten'>;
  storedSecrets: SealedRows;
  identityKeys: Pick<IdentityKeyStore, 'withKeys'>;
  sealedIdentityKeys: SealedRows;
  notifications: ClosableNotifications;
  /** Begins the epoch of this leader, and so ends that of the previous leader. */
  takeEpoch(holder: string): Promise<number>;
  /**
   * Creates the log partitions of the coming months, and drops those of past months whose logs are all
   * removed. The leader calls this once a day.
   */
  updateLogPartitions(at: Date): Promise<void>;
  close(): Promise<void>;
}

/** Migrates the schema, opens the connections, and creates the log partitions of the coming months. */
export async function openOperatorDatabase(
  config: DatabaseConfig,
  webhookKey: Buffer,
  log: Log,
): Promise<OperatorDatabase> {
  const logError = (err: Error): void => log.warn({ err }, 'the connection to the database failed');
  const { certificateAuthority } = config;
  const migrations = await migrate(config.listenUrl, {
    log: (message) => log.info(message),
    certificateAuthority,
  });
  if (migrations.length > 0) log.info({ migrations }, 'the schema was updated');
  const pool = await openPool(config.url, { onError: logError, certificateAuthority });
  await createLogPartitions(pool, new Date());
  const notifications = openNotifications({
    url: config.listenUrl,
    pool,
    onError: logError,
    certificateAuthority,
  });
  let epoch = 0;
  const database = { pool, definitions: cachedDefinitions(), webhookKey, epoch: () => epoch };
  return {
    teams: teamStore(database),
    workers: workerStore(database),
    pipelines: pipelineStore(database),
    checks: checkStore(database),
    builds: buildStore(database),
    warmPods: warmPodStore(database),
    caches: cacheStore(database),
    removableCaches: removableCaches(database),
    accounts: accountStore(database),
    oauth: oauthStore(database),
    views: completeViews(viewStore(database), () => new Date()),
    retention: retentionStore(database),
    logs: logStore(database),
    debug: debugStore(database),
    storedSecrets: sealedRows(database, 'stored_secrets'),
    identityKeys: identityKeyStore(database),
    sealedIdentityKeys: sealedRows(database, 'identity_keys'),
    notifications,
    async takeEpoch(holder) {
      epoch = await leaderStore(database).takeEpoch(holder);
      return epoch;
    },
    async updateLogPartitions(at) {
      await createLogPartitions(pool, at);
      await dropEmptyLogPartitions(pool, at);
    },
    async close() {
      await notifications.close();
      await pool.end();
    },
  };
}

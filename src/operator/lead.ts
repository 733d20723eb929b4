import { setInterval } from 'node:timers';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import {
  ensureInternalTls,
  ensurePostgresTls,
  type ReleaseSecretsOptions,
} from '#adapters/kubernetes/secrets/release-secrets.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { OperatorConfig } from '#config';
import type { SourceReader } from '#flows/pipelines/manifest-ports.ts';
import type { OperatorDatabase } from './database.ts';
import type { Health } from './health.ts';
import { keepIdentityKeys } from './identity-keys.ts';
import { Loops } from './loops.ts';
import type { OperatorMetrics } from './metrics.ts';
import { Reconciling } from './reconcile.ts';
import { maintainStoreKeys } from './store-keys.ts';

/** Dependencies of the leader's work. */
export interface Leadership {
  config: OperatorConfig;
  log: Log;
  client: ApiClient;
  compiler: HclCompiler;
  /** Fetches the content of sources. */
  reader: SourceReader;
  database: OperatorDatabase;
  health: Health;
  metrics: OperatorMetrics;
  keys: { agent: Buffer; webhook: Buffer };
  certificateAuthority: string;
  secrets: ReleaseSecretsOptions;
  /**
   * Aborts when this replica no longer leads. Abort it when the database refuses a write because another
   * replica leads.
   */
  lost: AbortController;
}

const DAY_MS = 86_400_000;
/** How often the operator reads whether a rotation of keys is requested or due. */
const ROTATION_CHECK_MS = 60_000;

/** Does the work of the leader until the signal aborts, then waits until the work has ended. */
export async function lead(leadership: Leadership, stop: AbortSignal): Promise<void> {
  const reconciling = new Reconciling(leadership);
  const loops = new Loops(leadership, reconciling);
  await reconciling.start();
  loops.start();
  leadership.health.leading([() => reconciling.stuckMs(), () => loops.stuckMs()]);
  const daily = setInterval(() => void maintain(leadership, reconciling), DAY_MS);
  const rotation = setInterval(() => void rotateKeys(leadership), ROTATION_CHECK_MS);
  void rotateKeys(leadership);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(daily);
  clearInterval(rotation);
  await Promise.all([loops.stop(), reconciling.stop()]);
}

/** Runs once a day: renews certificates that expire soon, and updates the log partitions. */
async function maintain(
  { config, secrets, database, log }: Leadership,
  reconciling: Reconciling,
): Promise<void> {
  try {
    reconciling.trust(await ensureInternalTls(secrets));
    if (config.database.kind === 'own') await ensurePostgresTls(secrets);
    await database.updateLogPartitions(new Date());
  } catch (error) {
    log.error({ err: error }, 'the daily upkeep failed; the operator tries again tomorrow and at each start');
  }
}

/**
 * Creates missing keys of stored secrets and identity tokens, and rotates keys if that is requested or due.
 * After a failure, the next interval tries again.
 */
async function rotateKeys({ secrets, database, log }: Leadership): Promise<void> {
  try {
    const keys = await maintainStoreKeys(secrets, database, log);
    await keepIdentityKeys(keys, { ...database, log, now: () => new Date() });
  } catch (error) {
    log.warn({ err: error }, 'the keys of stored secrets and identity tokens could not be maintained');
  }
}

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
import { Loops } from './loops.ts';
import type { OperatorMetrics } from './metrics.ts';
import { Reconciling } from './reconcile.ts';

/** What the one that leads works with. */
export interface Leadership {
  config: OperatorConfig;
  log: Log;
  client: ApiClient;
  compiler: HclCompiler;
  /** Fetches what stands under sources. */
  reader: SourceReader;
  database: OperatorDatabase;
  health: Health;
  metrics: OperatorMetrics;
  keys: { agent: Buffer; webhook: Buffer };
  certificateAuthority: string;
  secrets: ReleaseSecretsOptions;
  /** To be given when a write was refused because another leads. */
  lost: AbortController;
}

const DAY_MS = 86_400_000;

/** Does everything that only one may do, until the signal is given. */
export async function lead(leadership: Leadership, over: AbortSignal): Promise<void> {
  const reconciling = new Reconciling(leadership);
  const loops = new Loops(leadership, reconciling);
  await reconciling.start();
  loops.start();
  leadership.health.leading([() => reconciling.stuckMs(), () => loops.stuckMs()]);
  const daily = setInterval(() => void maintain(leadership, reconciling), DAY_MS);
  await new Promise<void>((resolve) => {
    if (over.aborted) resolve();
    else over.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(daily);
  await Promise.all([loops.stop(), reconciling.stop()]);
}

/** Once a day: certificates that end soon, tables for the months to come. */
async function maintain(
  { config, secrets, database, log }: Leadership,
  reconciling: Reconciling,
): Promise<void> {
  try {
    reconciling.trust(await ensureInternalTls(secrets));
    if (config.database.kind === 'own') await ensurePostgresTls(secrets);
    await database.makePartitions(new Date());
  } catch (error) {
    log.error({ err: error }, 'the daily upkeep failed; it is tried again tomorrow and at each start');
  }
}

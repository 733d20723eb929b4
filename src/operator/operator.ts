import { setTimeout as sleep } from 'node:timers/promises';
import { argon2Passwords } from '#adapters/crypto/argon2.ts';
import { makeStoreKeyPair } from '#adapters/crypto/stored-values.ts';
import { guardedFetch } from '#adapters/fetch/guarded-fetch.ts';
import { MAX_SOURCE_BYTES, sourceReader } from '#adapters/fetch/source-reader.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import {
  inClusterConnection,
  kubeconfigConnection,
  type Connection,
} from '#adapters/kubernetes/api/connection.ts';
import { Elector } from '#adapters/kubernetes/leader-election/elector.ts';
import { electorClock, leaseAccess } from '#adapters/kubernetes/leader-election/lease.ts';
import {
  ensureDatabase,
  ensureFirstAdmin,
  ensureInternalTls,
  ensureKeys,
  ensureOAuthSecret,
  ensureStoreKeys,
  type ReleaseSecretsOptions,
} from '#adapters/kubernetes/secrets/release-secrets.ts';
import { markSecrets } from '#adapters/kubernetes/secrets/secret-marks.ts';
import { collectGarbage } from '#adapters/process/collect-garbage.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import { createMetricsServer } from '#adapters/telemetry/metrics-server.ts';
import { createMetrics, requestMetrics } from '#adapters/telemetry/metrics.ts';
import { VERSION, type DatabaseConfig, type OperatorConfig } from '#config';
import { BackOff } from '#domain/back-off.ts';
import { seedAdmin } from '#flows/people/seed-admin.ts';
import { AdmissionWebhook } from './admission-webhook.ts';
import { openOperatorDatabase, type OperatorDatabase } from './database.ts';
import { endWithin } from './end-within.ts';
import { Health } from './health.ts';
import { lead, type Leadership } from './lead.ts';
import { operatorMetrics } from './metrics.ts';
import { onDemandCompiler } from './on-demand-compiler.ts';

export type Ending = 'stopped' | 'lead-lost';

/**
 * How long the work of the leader may take to end, and then how long the connections may take to close. After
 * that, the process ends even if work hangs. After the restart, the replica may lead again.
 */
const END_MS = 10_000;

/**
 * Runs the operator until it stops or loses the lead: creates Secrets, opens the database, creates the first
 * admin, waits for the lease, then does the work of the leader. A standby waits for the lease with open
 * connections.
 */
export async function startOperator(config: OperatorConfig, log: Log, stop: AbortSignal): Promise<Ending> {
  const { registry } = createMetrics('operator', VERSION);
  const health = new Health();
  const connection = await connect(config);
  const client = new ApiClient(connection);
  const secrets = { client, namespace: config.namespace, release: config.release, now: () => new Date() };
  const compiler = onDemandCompiler(undefined, { onClosed: collectGarbage });
  const metrics = operatorMetrics(registry);
  const observe = requestMetrics(registry);
  const webhook =
    config.webhook &&
    new AdmissionWebhook({ config: config.webhook, client, secrets, compiler, log, metrics, observe });
  const server = createMetricsServer(
    registry,
    () => Promise.resolve(health.notReady() ?? webhook?.notReady()),
    () => health.stuck(),
  );
  server.listen(config.metricsListen);
  webhook?.start(stop);
  const installation = await untilDone(
    () => createSecrets(config, secrets),
    stop,
    (error) =>
      log.warn(
        { err: error },
        'the Secrets of the installation could not be created; the operator tries again',
      ),
  );
  if (installation === undefined) return 'stopped';
  const database = await untilDone(
    () => openOperatorDatabase(installation.database, installation.keys.webhook, log),
    stop,
    (error) => log.warn({ err: error }, 'the database could not be opened; the operator tries again'),
  );
  if (database === undefined) return 'stopped';
  await createFirstAdmin(database, secrets, stop, log);
  const { keys, certificateAuthority } = installation;
  const ending = await campaign({
    config,
    log,
    stop,
    client,
    health,
    metrics,
    secrets,
    database,
    compiler,
    webhook,
    keys,
    certificateAuthority,
  });
  const closing = async (): Promise<void> => {
    await Promise.all([database.close(), webhook?.close()]);
    await Promise.all([compiler.close(), connection.close()]);
  };
  await endWithin(END_MS, closing(), AbortSignal.abort());
  server.closeAllConnections();
  server.close();
  return ending;
}

interface InstallationSecrets {
  keys: { agent: Buffer; webhook: Buffer };
  database: DatabaseConfig;
  certificateAuthority: string;
}

type Candidate = Omit<Leadership, 'reader' | 'lost'> & {
  stop: AbortSignal;
  webhook: AdmissionWebhook | undefined;
};

async function connect({ cluster }: OperatorConfig): Promise<Connection> {
  return cluster.kind === 'in-cluster' ? inClusterConnection(cluster) : kubeconfigConnection(cluster.file);
}

async function createSecrets(
  config: OperatorConfig,
  options: ReleaseSecretsOptions,
): Promise<InstallationSecrets> {
  const keys = await ensureKeys(options);
  await ensureOAuthSecret(options);
  await ensureStoreKeys({ ...options, makePair: makeStoreKeyPair, mayRotate: false });
  await markSecrets(options);
  const certificateAuthority = await ensureInternalTls(options);
  if (config.database.kind === 'given') return { keys, certificateAuthority, database: config.database };
  const ownDatabase = await ensureDatabase(options, config.database.host);
  return { keys, certificateAuthority, database: { ...ownDatabase, listenUrl: ownDatabase.url } };
}

async function createFirstAdmin(
  database: OperatorDatabase,
  secrets: ReleaseSecretsOptions,
  stop: AbortSignal,
  log: Log,
): Promise<void> {
  const passwords = await argon2Passwords();
  const firstAdmin = async () => await ensureFirstAdmin(secrets);
  const seeded = await untilDone(
    () => seedAdmin({ accounts: database.accounts, passwords, firstAdmin, now: () => secrets.now() }),
    stop,
    (error) => log.warn({ err: error }, 'the first admin could not be created; the operator tries again'),
  );
  if (seeded === 'seeded')
    log.info(
      { secret: `${secrets.release}-admin` },
      'the first admin was created; the Secret has the password',
    );
}

/**
 * Waits for the lease, and does the work of the leader until this replica loses the lead or the process
 * stops.
 */
async function campaign(candidate: Candidate): Promise<Ending> {
  const { config, log, stop, client, health, database } = candidate;
  const elector = new Elector({
    identity: config.podName,
    lease: leaseAccess(client, { namespace: config.namespace, name: `${config.release}-operator` }),
    clock: electorClock,
    onProblem: (message) => log.warn(message),
  });
  health.waiting();
  log.info('ready to lead');
  if (!(await elector.acquire(stop))) return 'stopped';
  const lost = new AbortController();
  const leadEnds = AbortSignal.any([stop, lost.signal]);
  const release = new AbortController();
  const holding = elector.hold(release.signal);
  void holding.then(() => lost.abort());
  const fetch = guardedFetch({ allowedRanges: config.sources.allowedRanges, maxBytes: MAX_SOURCE_BYTES });
  const reader = sourceReader(fetch, config.sources.registry);
  try {
    const takeEpoch = (): Promise<number> => database.takeEpoch(config.podName);
    const epoch = await untilDone(takeEpoch, leadEnds, (err) =>
      log.warn({ err }, 'the leader epoch could not be taken; the operator tries again'),
    );
    if (epoch !== undefined) {
      candidate.metrics.leading(true);
      candidate.webhook?.lead();
      log.info({ epoch }, 'leading');
      const ended = await endWithin(END_MS, lead({ ...candidate, reader, lost }, leadEnds), leadEnds);
      if (!ended)
        log.warn(
          'this replica no longer leads, but some of its work has not ended; the process ends without it',
        );
    }
  } finally {
    // The lease is released last, once the work of this leader has ended or its time is over.
    await fetch.close();
    release.abort();
  }
  const leaseEnd = await holding;
  return stop.aborted && leaseEnd === 'released' ? 'stopped' : 'lead-lost';
}

/** Repeats `work` until it succeeds, with growing pauses. Undefined if the signal aborts first. */
async function untilDone<T>(
  work: () => Promise<T>,
  stop: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<T | undefined> {
  const backOff = new BackOff({ firstMs: 250, longestMs: 5000 }, Math.random);
  while (!stop.aborted) {
    try {
      return await work();
    } catch (error) {
      onFailure(error);
      await sleep(backOff.next(), undefined, { signal: stop }).catch(() => undefined);
    }
  }
  return undefined;
}

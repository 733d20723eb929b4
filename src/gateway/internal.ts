import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentFlows } from '#adapters/http/agent/agent-flows.ts';
import { followCertificate, readCertificate } from '#adapters/http/agent/certificate.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import { createAgentServer } from '#adapters/http/agent/server.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import { createMetricsServer } from '#adapters/telemetry/metrics-server.ts';
import {
  agentMetrics,
  createMetrics,
  requestMetrics,
  type AgentMetrics,
} from '#adapters/telemetry/metrics.ts';
import { VERSION, type InternalGatewayConfig } from '#config';
import type { AddressWait, TeamSecrets } from '#flows/builds/session-ports.ts';
import { agentPods } from './agent-pods.ts';
import { cancelHints, debugHints } from './build-hints.ts';
import { connectionOf } from './cluster-connection.ts';
import { openGatewayDatabase, type GatewayDatabase } from './database.ts';
import { openIdentitySigner } from './identity-signer.ts';
import { imageLookUps } from './image-look-ups.ts';
import { kubernetesSource, teamSecretSource } from './kubernetes-secrets.ts';
import { closeServer, gracefulClose, listen } from './listen.ts';
import type { Service } from './serve.ts';
import { storeSource } from './store-secrets.ts';
import { teamSecrets } from './team-secrets.ts';
import { vaultSource } from './vault-secrets.ts';
import { warmHints } from './warm-hints.ts';

/** Opens the parts that need the keys of stored secrets. */
function secretsOf(
  client: ApiClient,
  config: InternalGatewayConfig,
  database: Pick<GatewayDatabase, 'storedValues' | 'access'>,
) {
  return { secrets: teamSecretsOf(client, config, database), ...identityOf(config, database) };
}

function teamSecretsOf(
  client: ApiClient,
  { vaultAllowedRanges, storeKeysDirectory }: InternalGatewayConfig,
  { storedValues }: Pick<GatewayDatabase, 'storedValues'>,
): TeamSecrets {
  const ofTeam = teamSecretSource(client);
  return teamSecrets({
    kubernetes: kubernetesSource(client),
    env: ofTeam,
    file: ofTeam,
    store: storeSource(storeKeysDirectory, storedValues),
    vault: vaultSource(client, vaultAllowedRanges),
  });
}

function identityOf(config: InternalGatewayConfig, { access }: Pick<GatewayDatabase, 'access'>) {
  const { externalUrl, storeKeysDirectory } = config;
  const signer = { ...access, storeKeysDirectory, now: () => new Date() };
  return { identitySigner: openIdentitySigner(signer), externalUrl, newTokenId: randomUUID };
}

function addressWait(metrics: AgentMetrics): AddressWait {
  return {
    elapsed: () => performance.now(),
    sleep: async (milliseconds) => await sleep(milliseconds),
    waited: (seconds) => metrics.waitedForAddress(seconds),
  };
}

/** The listeners that wake the streams of agents when something changes. */
const hintsFrom = (notifications: GatewayDatabase['notifications']) => ({
  cancels: cancelHints(notifications),
  debugs: debugHints(notifications),
  warmPods: warmHints(notifications),
});

/**
 * Starts the TLS listener for agents, and the listener for metrics. Of the two gateways, only this one may
 * read Pods and Secrets of team namespaces.
 */
export async function startInternalGateway(config: InternalGatewayConfig, log: Log): Promise<Service> {
  const [certificate, connection, database] = await Promise.all([
    readCertificate(config.tlsDirectory),
    connectionOf(config.cluster),
    openGatewayDatabase(config.database, log),
  ]);
  const { registry } = createMetrics('gateway-internal', VERSION);
  const metrics = agentMetrics(registry);
  const client = new ApiClient(connection);
  const hints = hintsFrom(database.notifications);
  const images = imageLookUps({ client, images: database.images, registries: config.imageRegistries });
  const flows = agentFlows({
    credentials: agentCredentials(config.agentKey),
    pods: agentPods(client),
    ...secretsOf(client, config, database),
    ...database,
    images,
    logLimitBytes: config.logLimitBytes,
    now: () => new Date(),
    waiting: addressWait(metrics),
  });
  let draining = false;
  const readiness = async () => (draining ? 'The process is stopping.' : await database.readiness());
  const app = createAgentServer({
    flows,
    sessions: database.sessions,
    ...hints,
    certificate,
    readiness,
    draining: () => draining,
    version: VERSION,
    log,
    metrics,
    observe: requestMetrics(registry),
  });
  const stopFollowing = followCertificate(app.server, {
    directory: config.tlsDirectory,
    initial: certificate,
    renewed: () => log.info('the renewed certificate is in use'),
    failed: (err) => log.warn({ err }, 'the certificate cannot be used; the one before stays'),
  });
  const closeApp = gracefulClose(app);
  const metricsServer = createMetricsServer(registry, readiness);
  await Promise.all([app.listen(config.listen), listen(metricsServer, config.metricsListen)]);
  log.info({ address: config.listen, metrics: config.metricsListen }, 'listening for agents');
  return {
    drain: () => {
      draining = true;
    },
    async close() {
      stopFollowing();
      await closeApp();
      for (const hint of Object.values(hints)) hint.stop();
      await Promise.all([images.close(), database.close(), connection.close(), closeServer(metricsServer)]);
    },
  };
}

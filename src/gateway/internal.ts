import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentApi } from '#adapters/http/agent/agent-api.ts';
import { followCertificate, readCertificate } from '#adapters/http/agent/certificate.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import { createAgentServer } from '#adapters/http/agent/server.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import { createMetricsServer } from '#adapters/telemetry/metrics-server.ts';
import { agentMetrics, createMetrics, requestMetrics } from '#adapters/telemetry/metrics.ts';
import { VERSION, type InternalGatewayConfig } from '#config';
import { agentApi } from './agent-api.ts';
import { agentPods } from './agent-pods.ts';
import { cancelHints } from './cancel-hints.ts';
import { connectionOf } from './cluster-connection.ts';
import { openGatewayDatabase } from './database.ts';
import { closerOf, closeServer, listen } from './listen.ts';
import type { Service } from './serve.ts';
import { teamSecrets } from './team-secrets.ts';

/** The TLS listener for agents. It alone may read Pods and Secrets of team namespaces. */
export async function startInternalGateway(config: InternalGatewayConfig, log: Log): Promise<Service> {
  const [certificate, connection, database] = await Promise.all([
    readCertificate(config.tlsDirectory),
    connectionOf(config.cluster),
    openGatewayDatabase(config.database, log),
  ]);
  const { registry } = createMetrics('gateway-internal', VERSION);
  const metrics = agentMetrics(registry);
  const client = new ApiClient(connection);
  const cancels = cancelHints(database.notifications);
  const api: AgentApi = agentApi({
    credentials: agentCredentials(config.agentKey),
    pods: agentPods(client),
    secrets: teamSecrets(client),
    ...database,
    cancels,
    logLimitBytes: config.logLimitBytes,
    now: () => new Date(),
    waiting: {
      elapsed: () => performance.now(),
      sleep: async (milliseconds) => await sleep(milliseconds),
      waited: (seconds) => metrics.waitedForAddress(seconds),
    },
  });
  let draining = false;
  const readiness = async () => (draining ? 'The process is stopping.' : await database.readiness());
  const app = createAgentServer({
    api,
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
    first: certificate,
    renewed: () => log.info('the renewed certificate is in use'),
    failed: (err) => log.warn({ err }, 'the certificate cannot be used; the one before stays'),
  });
  const closeApp = closerOf(app);
  const metricsServer = createMetricsServer(registry, readiness);
  await Promise.all([app.listen(config.listen), listen(metricsServer, config.metricsListen)]);
  log.info({ address: config.listen, metrics: config.metricsListen }, 'agents may call');
  return {
    drain: () => {
      draining = true;
    },
    async close() {
      stopFollowing();
      await closeApp();
      cancels.stop();
      await Promise.all([database.close(), connection.close(), closeServer(metricsServer)]);
    },
  };
}

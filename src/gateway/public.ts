import { cachedPictures } from '#adapters/http/api/images.ts';
import { createPages } from '#adapters/http/pages/pages.ts';
import { accessRoutes, publicRoutes } from '#adapters/http/routes.ts';
import { PRESSURE_LIMITS } from '#adapters/http/server/pressure.ts';
import { createServer } from '#adapters/http/server/server.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import { createMetricsServer } from '#adapters/telemetry/metrics-server.ts';
import { createMetrics, publicMetrics, requestMetrics } from '#adapters/telemetry/metrics.ts';
import { streamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import { VERSION, type PublicGatewayConfig } from '#config';
import { openGatewayDatabase } from './database.ts';
import { closeServer, gracefulClose, listen } from './listen.ts';
import { openOverviews } from './overviews.ts';
import { openPeople } from './people.ts';
import { pipelinePorts } from './pipelines.ts';
import type { Service } from './serve.ts';

/**
 * Starts the listener for people and forges, and the one for metrics. In Kubernetes, the public gateway may
 * only read and write the objects that people change over the API, read and write client secrets, and read
 * the tokens of the installation.
 */
export async function startPublicGateway(config: PublicGatewayConfig, log: Log): Promise<Service> {
  const database = await openGatewayDatabase(config.database, log);
  const { registry } = createMetrics('gateway-public', VERSION);
  const overviews = openOverviews(database.show, database.views);
  const ports = pipelinePorts({
    ...database,
    ...overviews,
    webhookKey: config.webhookKey,
    metrics: publicMetrics(registry),
    now: () => new Date(),
  });
  const people = await openPeople(config, { stores: database.access, previews: overviews.previews }, log);
  const { access } = people;
  let draining = false;
  const readiness = async () => (draining ? 'The process is stopping.' : await database.readiness());
  if (config.sessionSeconds === 0) log.warn(ENDLESS);
  if (config.externalUrl === undefined) log.warn(NO_ADDRESS);
  const app = createServer({
    routes: [
      ...publicRoutes(ports, readiness, VERSION, { metrics: streamMetrics(registry) }),
      ...accessRoutes(access.ports),
    ],
    pages: createPages(ports, access.ports),
    cachedImages: cachedPictures(ports.overviews),
    authenticate: access.authenticate,
    browser: access.ports.browser,
    audit: access.ports.audit,
    trustedProxies: config.trustedProxies,
    externalUrl: config.externalUrl,
    pressure: PRESSURE_LIMITS,
    log,
    version: VERSION,
    draining: () => draining,
    observe: requestMetrics(registry),
  });
  const closeApp = gracefulClose(app);
  const metricsServer = createMetricsServer(registry, readiness);
  await Promise.all([app.listen(config.listen), listen(metricsServer, config.metricsListen)]);
  log.info({ address: config.listen, metrics: config.metricsListen }, 'listening for people and forges');
  return {
    drain: () => {
      draining = true;
    },
    async close() {
      await closeApp();
      await Promise.all([database.close(), overviews.close(), closeServer(metricsServer), people.close()]);
    },
  };
}

const NO_ADDRESS =
  'No externalURL is set: people can sign in at any address of this gateway, also over plain HTTP, ' +
  'which does not encrypt their cookies, and not with identity providers. ' +
  'Set externalURL, with https, before others use this installation.';
const ENDLESS =
  'Sessions never end, so a stolen session stays valid forever: set a session lifetime, for example 30d.';

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { pathWithoutQuery, sendPlainly } from './plain-response.ts';

/**
 * Resolves to undefined if the process is ready, otherwise to the reason why not, as a sentence that anyone
 * may read.
 */
export type Readiness = () => Promise<string | undefined>;

/**
 * Creates the server for the port that only the cluster can reach: `/metrics`, `/healthz` (503 if `stuck`
 * returns a reason) and `/readyz` (503 if `readiness` returns one). Keep the server open while the process
 * drains, so that Prometheus can scrape it once more and the kubelet sees that the process is not ready.
 */
export function createMetricsServer(
  registry: Registry,
  readiness: Readiness,
  stuck: () => string | undefined = () => undefined,
): Server {
  const server = createServer((request, response) => {
    answer(pathWithoutQuery(request), response, { registry, readiness, stuck }).catch(() =>
      sendPlainly(response, 500, 'failed\n'),
    );
  });
  server.maxConnections = 64;
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  return server;
}

interface Endpoints {
  registry: Registry;
  readiness: Readiness;
  stuck: () => string | undefined;
}

async function answer(
  path: string,
  response: ServerResponse,
  { registry, readiness, stuck }: Endpoints,
): Promise<void> {
  switch (path) {
    case '/metrics':
      return sendPlainly(response, 200, await registry.metrics(), registry.contentType);
    case '/healthz':
      return sendProbeResult(response, stuck());
    case '/readyz':
      return sendProbeResult(response, await readiness());
    default:
      return sendPlainly(response, 404, 'not found\n');
  }
}

function sendProbeResult(response: ServerResponse, reason: string | undefined): void {
  sendPlainly(response, reason === undefined ? 200 : 503, `${reason ?? 'ok'}\n`);
}

import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

/**
 * The port that only the cluster sees: `/metrics`, `/healthz` (the process moves; `stuck` says why not) and `/readyz` (it can do its work now). It stays up
 * while the door drains, so that the last scrape and the failing readiness are seen.
 */
export function createMetricsServer(
  registry: Registry,
  readiness: Readiness,
  stuck: () => string | undefined = () => undefined,
): Server {
  const server = createServer((request, response) => {
    answer(request.url ?? '', response, { registry, readiness, stuck }).catch(() =>
      end(response, 500, 'failed\n'),
    );
  });
  server.maxConnections = 64;
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  return server;
}

interface Parts {
  registry: Registry;
  readiness: Readiness;
  stuck: () => string | undefined;
}

async function answer(
  url: string,
  response: ServerResponse,
  { registry, readiness, stuck }: Parts,
): Promise<void> {
  switch (url.replace(/\?.*$/, '')) {
    case '/metrics':
      response.setHeader('content-type', registry.contentType);
      return end(response, 200, await registry.metrics());
    case '/healthz':
      return probe(response, stuck());
    case '/readyz':
      return probe(response, await readiness());
    default:
      return end(response, 404, 'not found\n');
  }
}

function probe(response: ServerResponse, reason: string | undefined): void {
  end(response, reason === undefined ? 200 : 503, `${reason ?? 'ok'}\n`);
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

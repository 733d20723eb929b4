import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { answerPlainly, pathOf } from './plain-response.ts';

/** Undefined when ready, else a sentence fit for strangers. */
export type Readiness = () => Promise<string | undefined>;

/**
 * The port that only the cluster sees: `/metrics`, `/healthz` (the process moves; `stuck` says why not) and
 * `/readyz` (it can do its work now). It stays up while the door drains, so that the last scrape and the
 * failing readiness are seen.
 */
export function createMetricsServer(
  registry: Registry,
  readiness: Readiness,
  stuck: () => string | undefined = () => undefined,
): Server {
  const server = createServer((request, response) => {
    answer(pathOf(request), response, { registry, readiness, stuck }).catch(() =>
      answerPlainly(response, 500, 'failed\n'),
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
  path: string,
  response: ServerResponse,
  { registry, readiness, stuck }: Parts,
): Promise<void> {
  switch (path) {
    case '/metrics':
      return answerPlainly(response, 200, await registry.metrics(), registry.contentType);
    case '/healthz':
      return probe(response, stuck());
    case '/readyz':
      return probe(response, await readiness());
    default:
      return answerPlainly(response, 404, 'not found\n');
  }
}

function probe(response: ServerResponse, reason: string | undefined): void {
  answerPlainly(response, reason === undefined ? 200 : 503, `${reason ?? 'ok'}\n`);
}

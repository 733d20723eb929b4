import { createSecretKey } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { webhookSecret, webhookTokenHash } from '#adapters/crypto/digests.ts';
import { signatureCheck } from '#adapters/crypto/webhook-signature.ts';
import { requestChecksByToken } from '#adapters/database/checks/request-checks-by-token.ts';
import { openPool } from '#adapters/database/connection/pool.ts';
import { batched } from '#adapters/http/api/batch.ts';
import type { WebhookAnswer, WebhookCall } from '#flows/checks/ports.ts';

/*
 * The controls of an experiment: minimal servers in a separate process, like the gateway. They show what
 * Node, Fastify and Postgres cost alone.
 *
 *   node bench/gateway/controls.ts    (started by control.ts, which sends the task as a message)
 */
export interface ControlTask {
  /** If set without `webhookKey`, the server inserts a row for each POST before it answers. */
  databaseUrl?: string;
  /**
   * If set with `databaseUrl`, the server handles webhooks as the gateway does (signature and group commit),
   * but without framework, logs and metrics, and it handles nothing else.
   */
  webhookKey?: string;
  /** What the server answers to `GET /`: a body and its content type. By default an empty text. */
  answer?: { type: string; body: string };
}

process.once('message', (task: ControlTask & { port: number }) => void serve(task));

async function serve(task: ControlTask & { port: number }): Promise<void> {
  const { port, databaseUrl, webhookKey } = task;
  if (databaseUrl !== undefined && webhookKey !== undefined) {
    const server = await bareWebhooks(databaseUrl, Buffer.from(webhookKey, 'base64url'));
    server.listen(port, '127.0.0.1', () => process.send?.('ready'));
    return;
  }
  const app = await bareRoutes(task);
  await app.listen({ host: '127.0.0.1', port });
  process.send?.('ready');
}

async function bareRoutes({ databaseUrl, answer }: ControlTask) {
  const app = Fastify();
  // Reads each body to its end, whatever its type, and parses none.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
  const body = Buffer.from(answer?.body ?? '');
  app.get('/', async (_request, reply) => reply.type(answer?.type ?? 'text/plain').send(body));
  const pool = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 10 });
  await pool?.query(
    'CREATE TABLE IF NOT EXISTS bench_inserts (token text NOT NULL, at timestamptz NOT NULL)',
  );
  app.post('/webhooks/:token', async (request, reply) => {
    await pool?.query({
      name: 'insert',
      text: 'INSERT INTO bench_inserts VALUES ($1, now())',
      values: [request.url],
    });
    return reply.code(202).send({ data: { accepted: true } });
  });
  return app;
}

const MAX_BATCH = 1000;
const STATUS = { requested: 202, busy: 503, refused: 403, unknown: 404 };

async function bareWebhooks(databaseUrl: string, key: Buffer): Promise<Server> {
  const pool = await openPool(databaseUrl, { maximumConnections: 1 });
  const secretKey = createSecretKey(key);
  const requestCheck = batched<WebhookCall, WebhookAnswer>({
    call: async (calls) => (await requestChecksByToken(pool, { calls, wait: true }, new Date())).answers,
    nameOf: ({ tokenHash, signature }) => `${signature} ${tokenHash}`,
    maxItems: MAX_BATCH,
    maxWaiting: MAX_BATCH * 20,
  });
  const handleWebhook = (request: IncomingMessage, response: ServerResponse): void => {
    const token = request.url?.slice('/webhooks/'.length) ?? '';
    const check = signatureCheck(request.headers, () => webhookSecret(secretKey, token));
    request.on('data', (chunk: Buffer) => check.update(chunk));
    request.on('end', () => {
      void requestCheck({ tokenHash: webhookTokenHash(token), signature: check.verdict() }).then((answer) =>
        response.writeHead(STATUS[answer], { 'content-length': 2 }).end('{}'),
      );
    });
  };
  return createServer(handleWebhook);
}

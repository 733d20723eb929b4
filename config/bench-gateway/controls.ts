import Fastify from 'fastify';
import { Pool } from 'pg';

/*
 * Servers without anything of ours, in a process of their own as the gateway is: what Fastify and Postgres take by themselves.
 *
 *   node config/bench-gateway/controls.ts    (started by control.ts, told what to answer by message)
 */
interface Told {
  port: number;
  /** Inserts a row for each POST before it answers. */
  databaseUrl?: string;
  /** What a GET is answered, with its type. */
  answer?: { type: string; body: string };
}

process.once('message', (told: Told) => void serve(told));

async function serve({ port, databaseUrl, answer }: Told): Promise<void> {
  const app = Fastify();
  // The body is read to its end, as it must be.
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
  await app.listen({ host: '127.0.0.1', port });
  process.send?.('ready');
}

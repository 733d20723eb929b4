import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { argon2Passwords } from '#adapters/crypto/argon2.ts';
import { webhookToken } from '#adapters/crypto/digests.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import {
  isReady,
  makeKeys,
  startGatewayProcess,
  type GatewayProcess,
} from '#testing/gateway/gateway-process.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, WEBHOOK_KEY, type TestStores } from '#testing/stores/stores.ts';

/*
 * Two processes of the public gateway over one Postgres. Clients use only processes that are ready, as behind
 * a Service of Kubernetes.
 */
const PASSWORD = 'correct horse';
let stores: TestStores;
let keys: ReturnType<typeof makeKeys>;
let replicas: GatewayProcess[] = [];
let webhook = '';

beforeAll(async () => {
  keys = makeKeys(WEBHOOK_KEY);
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  webhook = `/webhooks/${webhookToken(WEBHOOK_KEY, saved.resources[0]?.id ?? 0, 1)}`;
  const hash = await (await argon2Passwords()).hash(PASSWORD);
  await stores.pool.query(rows()`INSERT INTO users (username, password_hash) VALUES ('ann', ${hash})`);
});
beforeEach(async () => {
  replicas = await Promise.all(
    ['gateway-0', 'gateway-1'].map((name) => startGatewayProcess(name, stores.url, keys.directory)),
  );
});
afterEach(async () => {
  for (const replica of replicas) replica.kill('SIGKILL');
  await Promise.all(replicas.map(({ ended }) => ended));
});
afterAll(async () => {
  await stores.close();
  keys.remove();
});

const replicaAt = (index: number): GatewayProcess => {
  const replica = replicas[index];
  if (replica === undefined) throw new Error(`no replica ${index}`);
  return replica;
};

/** Sends a request, and repeats it while the process answers 503, which is correct on a busy machine. */
async function ask(
  index: number,
  route: string,
  options: { as?: string; body?: object } = {},
): Promise<{ status: number; data: Record<string, unknown> }> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const answer = await fetch(`${replicaAt(index).base}${path}`, {
    method,
    headers: {
      ...(options.as !== undefined && { authorization: `Bearer ${options.as}` }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await answer.text();
  if (answer.status === 503) {
    await pause(100);
    return await ask(index, route, options);
  }
  const { data = {} }: { data?: Record<string, unknown> } = text === '' ? {} : JSON.parse(text);
  return { status: answer.status, data };
}

describe('two replicas', () => {
  test('share sessions: signing in or out at one takes effect at both', async () => {
    const body = { username: 'ann', password: PASSWORD };
    const as = String((await ask(0, 'POST /auth/login', { body })).data['token']);
    expect((await ask(1, 'PUT /profile', { as, body: { full_name: 'Ann A.' } })).data).toMatchObject({
      full_name: 'Ann A.',
    });
    expect((await ask(0, 'GET /profile', { as })).data).toMatchObject({ full_name: 'Ann A.' });
    expect((await ask(1, 'POST /auth/logout', { as })).status).toBe(204);
    expect([
      (await ask(0, 'GET /profile', { as })).status,
      (await ask(1, 'GET /profile', { as })).status,
    ]).toEqual([401, 401]);
  });

  test('lose no request when one stops under load', async () => {
    const load = startLoad();
    await load.after(200);
    replicaAt(0).kill('SIGTERM');
    expect(await replicaAt(0).ended).toBe(0);
    await load.after(200);
    const { failed, answered } = await load.stop();
    expect(failed).toEqual([]);
    expect(answered[1]).toBeGreaterThan(200);
    expect(replicaAt(0).log()).toContain('"ending":"stopped"');
  });

  test('lose only the requests in progress when one is killed under load', async () => {
    const load = startLoad();
    await load.after(200);
    replicaAt(0).kill('SIGKILL');
    expect(await replicaAt(0).ended).toBeNull();
    // After these turns of the event loop, the clients know that the connections have ended.
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    const lastBeforeLoss = load.latestRequest();
    await load.after(400);
    const { failed } = await load.stop();
    // On each connection, at most the request in progress failed.
    expect(failed.length).toBeLessThanOrEqual(CLIENTS);
    for (const { number, replica, why } of failed) {
      expect([replica, why]).toEqual([0, expect.stringMatching(/ECONNRESET|EPIPE|other side closed/)]);
      expect(number).toBeLessThanOrEqual(lastBeforeLoss);
    }
  });
});

test('a replica that stops answers requests in progress, then closes idle connections', async () => {
  const idle = new Agent({ keepAliveTimeout: 60_000 });
  const slow = plainRequest(`${replicaAt(0).base}${webhook}`, { method: 'POST' });
  const closed: number[] = [];
  idle.on('disconnect', () => closed.push(1));
  await (await request(`${replicaAt(0).base}/health`, { dispatcher: idle })).body.dump();
  slow.setHeader('content-length', 8);
  slow.setHeader('expect', '100-continue');
  slow.flushHeaders();
  await once(slow, 'continue');
  slow.write('half');
  replicaAt(0).kill('SIGTERM');
  while (await isReady(replicaAt(0))) await pause(20);
  // The process is not ready but still answers, because a Service takes a moment to notice that.
  let draining = await request(`${replicaAt(0).base}/openapi.json`);
  await draining.body.dump();
  while (draining.statusCode === 503) {
    draining = await request(`${replicaAt(0).base}/openapi.json`);
    await draining.body.dump();
  }
  expect([draining.statusCode, draining.headers['connection']]).toEqual([200, 'close']);
  while (closed.length === 0) await pause(20);
  await expect(fetch(`${replicaAt(0).base}/health`)).rejects.toThrow();
  slow.end('done');
  const [answer]: { statusCode?: number }[] = await once(slow, 'response');
  expect(answer?.statusCode).toBe(202);
  expect(await replicaAt(0).ended).toBe(0);
  await idle.close();
});

interface FailedRequest {
  number: number;
  replica: number;
  why: string;
}

const CLIENTS = 8;
/**
 * How long clients trust the last probe of the replicas. A replica that stops still answers for 3 s, so
 * clients must notice sooner, even if this process was suspended meanwhile.
 */
const PROBE_VALID_MS = 2000;

/** Clients that keep their connections and send webhooks and reads to each replica that is ready. */
function startLoad() {
  const agents = replicas.map(() => new Agent({ connections: CLIENTS }));
  const failed: FailedRequest[] = [];
  const answered = replicas.map(() => 0);
  let ready = replicas.map(() => true);
  let probedAt = performance.now();
  const stop = new AbortController();
  let lastNumber = 0;
  const total = (): number => answered.reduce((sum, count) => sum + count, 0);

  async function askOnce(replica: number): Promise<void> {
    lastNumber += 1;
    const number = lastNumber;
    try {
      const [path, method] =
        number % 2 === 0 ? [webhook, 'POST' as const] : ['/auth/methods', 'GET' as const];
      const dispatcher = agents[replica];
      const answer = await request(`${replicaAt(replica).base}${path}`, {
        method,
        ...(dispatcher && { dispatcher }),
      });
      await answer.body.dump();
      // An overloaded process refuses requests and tells the client when to try again.
      if (answer.statusCode === 503 && answer.headers['retry-after'] === '1') await pause(100);
      else if (answer.statusCode >= 300) failed.push({ number, replica, why: String(answer.statusCode) });
      else answered[replica] = (answered[replica] ?? 0) + 1;
    } catch (error) {
      ready[replica] = false;
      // If the connection was refused, nothing was sent, so a load balancer would use the next replica.
      if (!String(error).includes('ECONNREFUSED')) failed.push({ number, replica, why: String(error) });
    }
  }
  async function client(start: number): Promise<void> {
    for (let turn = start; !stop.signal.aborted; turn += 1) {
      const choice = ready[turn % replicas.length] === true ? turn % replicas.length : ready.indexOf(true);
      if (choice >= 0 && performance.now() - probedAt < PROBE_VALID_MS) await askOnce(choice);
      else await pause(5);
    }
  }
  async function probe(): Promise<void> {
    while (!stop.signal.aborted) {
      const begun = performance.now();
      ready = await Promise.all(replicas.map(isReady));
      probedAt = begun;
      await pause(50);
    }
  }
  const work = Promise.all([probe(), ...Array.from({ length: CLIENTS }, (_, index) => client(index))]);
  return {
    /** The number of the latest request. */
    latestRequest: () => lastNumber,
    /** Waits until this many more requests were answered. */
    async after(count: number): Promise<void> {
      const goal = total() + count;
      while (total() < goal) await pause(10);
    },
    async stop() {
      stop.abort();
      await work;
      await Promise.all(agents.map((agent) => agent.close()));
      return { failed, answered };
    },
  };
}

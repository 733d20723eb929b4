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
 * Two processes of the public gateway over one Postgres. Clients use whichever is ready, as behind a Service.
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

const at = (index: number): GatewayProcess => {
  const replica = replicas[index];
  if (replica === undefined) throw new Error(`no replica ${index}`);
  return replica;
};

/** An overloaded process answers 503 with Retry-After, which is correct on a busy machine. */
async function ask(
  index: number,
  what: string,
  more: { as?: string; body?: object } = {},
): Promise<{ status: number; data: Record<string, unknown> }> {
  const [method = 'GET', path = '/'] = what.split(' ');
  const answer = await fetch(`${at(index).base}${path}`, {
    method,
    headers: {
      ...(more.as !== undefined && { authorization: `Bearer ${more.as}` }),
      ...(more.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
  });
  const text = await answer.text();
  if (answer.status === 503) {
    await pause(100);
    return await ask(index, what, more);
  }
  const { data = {} }: { data?: Record<string, unknown> } = text === '' ? {} : JSON.parse(text);
  return { status: answer.status, data };
}

describe('two replicas', () => {
  test('share sessions: a sign-in and a sign-out on one hold on both', async () => {
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

  test('fail no request when one stops under load', async () => {
    const load = startLoad();
    await load.after(200);
    at(0).kill('SIGTERM');
    expect(await at(0).ended).toBe(0);
    await load.after(200);
    const { failed, answered } = await load.stop();
    expect(failed).toEqual([]);
    expect(answered[1]).toBeGreaterThan(200);
    expect(at(0).log()).toContain('"ending":"stopped"');
  });

  test('fail only requests in progress when one is killed under load', async () => {
    const load = startLoad();
    await load.after(200);
    at(0).kill('SIGKILL');
    expect(await at(0).ended).toBeNull();
    // By then the ends of its connections have been noticed, too.
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    const known = load.asked();
    await load.after(400);
    const { failed } = await load.stop();
    // At most one request per connection failed: the one in progress.
    expect(failed.length).toBeLessThanOrEqual(CLIENTS);
    for (const { number, replica, why } of failed) {
      expect([replica, why]).toEqual([0, expect.stringMatching(/ECONNRESET|EPIPE|other side closed/)]);
      expect(number).toBeLessThanOrEqual(known);
    }
  });
});

test('answer requests in progress first and then close idle connections when they stop', async () => {
  const [idle, slow] = [
    new Agent({ keepAliveTimeout: 60_000 }),
    plainRequest(`${at(0).base}${webhook}`, { method: 'POST' }),
  ];
  const closed: number[] = [];
  idle.on('disconnect', () => closed.push(1));
  await (await request(`${at(0).base}/health`, { dispatcher: idle })).body.dump();
  slow.setHeader('content-length', 8);
  slow.setHeader('expect', '100-continue');
  slow.flushHeaders();
  await once(slow, 'continue');
  slow.write('half');
  at(0).kill('SIGTERM');
  while (await isReady(at(0))) await pause(20);
  // No longer ready, but still answering, because a Service takes a moment to notice.
  let draining = await request(`${at(0).base}/openapi.json`);
  await draining.body.dump();
  while (draining.statusCode === 503) {
    draining = await request(`${at(0).base}/openapi.json`);
    await draining.body.dump();
  }
  expect([draining.statusCode, draining.headers['connection']]).toEqual([200, 'close']);
  while (closed.length === 0) await pause(20);
  await expect(fetch(`${at(0).base}/health`)).rejects.toThrow();
  slow.end('done');
  const [answer]: { statusCode?: number }[] = await once(slow, 'response');
  expect(answer?.statusCode).toBe(202);
  expect(await at(0).ended).toBe(0);
  await idle.close();
});

interface Failed {
  number: number;
  replica: number;
  why: string;
}

const CLIENTS = 8;
/**
 * A replica that stops answers for 3 s more. The load balancer has to notice sooner, even if this process was
 * suspended meanwhile.
 */
const FRESH_MS = 2000;

/** Clients that keep their connections and send webhooks and reads to each replica that is ready. */
function startLoad() {
  const agents = replicas.map(() => new Agent({ connections: CLIENTS }));
  const failed: Failed[] = [];
  const answered = replicas.map(() => 0);
  let ready = replicas.map(() => true);
  let probed = performance.now();
  const stop = new AbortController();
  let number = 0;
  const total = (): number => answered.reduce((sum, count) => sum + count, 0);

  async function askOnce(replica: number): Promise<void> {
    const mine = (number += 1);
    try {
      const [path, method] = mine % 2 === 0 ? [webhook, 'POST' as const] : ['/auth/methods', 'GET' as const];
      const dispatcher = agents[replica];
      const answer = await request(`${at(replica).base}${path}`, {
        method,
        ...(dispatcher && { dispatcher }),
      });
      await answer.body.dump();
      // An overloaded process refuses requests and says when to try again.
      if (answer.statusCode === 503 && answer.headers['retry-after'] === '1') await pause(100);
      else if (answer.statusCode >= 300)
        failed.push({ number: mine, replica, why: String(answer.statusCode) });
      else answered[replica] = (answered[replica] ?? 0) + 1;
    } catch (error) {
      ready[replica] = false;
      // Nothing was sent, so a load balancer would use the next replica.
      if (!String(error).includes('ECONNREFUSED')) failed.push({ number: mine, replica, why: String(error) });
    }
  }
  async function client(start: number): Promise<void> {
    for (let turn = start; !stop.signal.aborted; turn += 1) {
      const choice = ready[turn % replicas.length] === true ? turn % replicas.length : ready.indexOf(true);
      if (choice >= 0 && performance.now() - probed < FRESH_MS) await askOnce(choice);
      else await pause(5);
    }
  }
  async function probe(): Promise<void> {
    while (!stop.signal.aborted) {
      const begun = performance.now();
      ready = await Promise.all(replicas.map(isReady));
      probed = begun;
      await pause(50);
    }
  }
  const work = Promise.all([probe(), ...Array.from({ length: CLIENTS }, (_, index) => client(index))]);
  return {
    /** The number of the latest request. */
    asked: () => number,
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

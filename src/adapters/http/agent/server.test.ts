import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  makeAuthority,
  makeServerCertificate,
  type CertificateAndKey,
} from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { agentMetrics, createMetrics } from '#adapters/telemetry/metrics.ts';
import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { VERSION_LIMIT } from '#domain/build/parse-check-output.ts';
import type { AgentSessionAnswer } from '#flows/builds/session-ports.ts';
import type { AgentApi } from './agent-api.ts';
import { followCertificate, readCertificate } from './certificate.ts';
import { MAX_REFUSED_CALLS } from './refused-calls.ts';
import type { AgentApp } from './routes.ts';
import { createAgentServer } from './server.ts';
import { OPENING_WEIGHT } from './session-route.ts';
import { hashKey } from './sessions.ts';

const HOST = 'millrace-internal.test.svc';
const KEY = 'k'.repeat(43);
const BUILD: AgentSession & { kind: 'build' } = { kind: 'build', build: 41, attempt: 1 };
const RUN: AgentSession = { kind: 'checks', run: 7 };
const POD = { namespace: 'main', name: 'app-unit-7-1-abcde', uid: 'u1' };
const NONCE = 'b.41.1.a-nonce-nobody-may-log';
const AT = '2026-11-21T10:00:00.000Z';
const LOG_EVENT = { sequence: 1, at: AT, type: 'log', step: '0', text: 'hello' };

let authority: CertificateAndKey;
let folder = '';
beforeAll(async () => {
  authority = await makeAuthority('test', new Date());
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function renew(): Promise<CertificateAndKey> {
  const pair = await makeServerCertificate(authority, [HOST], new Date());
  writeFileSync(join(folder, 'tls.crt'), pair.certificate);
  writeFileSync(join(folder, 'tls.key'), pair.key);
  return pair;
}

/** What the flows would do, in short: sessions by key, applied events, who listens for a cancel. */
function fakeApi() {
  const sessions = new Map<string, AgentSession>();
  const applied: BuildEvent[] = [];
  const heard = new Set<() => void>();
  const state = {
    over: false,
    cancel: false,
    lookUps: 0,
    openings: 0,
    /** Openings wait for it. */
    gate: Promise.resolve(),
    answer: undefined as AgentSessionAnswer | undefined,
    early: undefined as SessionResponse | undefined,
  };
  const api: AgentApi = {
    async openSession(_request, _peer, early) {
      state.openings += 1;
      await state.gate;
      if (state.early !== undefined) early(state.early);
      return state.answer ?? { answer: 'refused', reason: 'nobody said otherwise' };
    },
    async sessionOf(keyHash) {
      state.lookUps += 1;
      return sessions.get(keyHash);
    },
    async applyEvents(_session, events) {
      if (state.over) return 'over';
      applied.push(...events);
      return { acknowledged: applied.length, cancel: state.cancel };
    },
    recordChecks: async () => (state.over ? 'over' : 'recorded'),
    onCancelHint(_build, listener) {
      heard.add(listener);
      return () => heard.delete(listener);
    },
  };
  return { api, sessions, applied, heard, state };
}

let fake: ReturnType<typeof fakeApi>;
let app: AgentApp;
let lines: string[] = [];
let metrics = createMetrics('test', '0');
let client: Agent;

beforeEach(async () => {
  fake = fakeApi();
  lines = [];
  metrics = createMetrics('test', '0');
  await renew();
  app = createAgentServer({
    api: fake.api,
    certificate: await readCertificate(folder),
    log: createLog('info', 'test', { write: (line) => void lines.push(line) }),
    metrics: agentMetrics(metrics.registry),
    readiness: async () => undefined,
    version: '0.0.0-test',
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  client = new Agent({ keepAlive: true, ca: authority.certificate, servername: HOST });
});
afterEach(async () => {
  client.destroy();
  await app.close();
});

function port(): number {
  const address: AddressInfo | string | null = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Asked {
  method?: 'GET' | 'POST';
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The address of the caller. */
  from?: string;
}

async function open(
  path: string,
  { method = 'POST', key, body, headers = {}, from = '127.0.0.1' }: Asked,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(
    {
      host: '127.0.0.1',
      port: port(),
      path,
      method,
      localAddress: from,
      agent: client,
      headers: {
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    },
    resolve,
  );
  outgoing.once('error', reject);
  outgoing.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return await promise;
}

async function ask(path: string, asked: Asked): Promise<{ status: number; body: unknown }> {
  const answer = await open(path, asked);
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode ?? 0, body: JSON.parse(text) };
}

const opened: AgentSessionAnswer = {
  answer: 'opened',
  session: BUILD,
  response: {
    work: 'build',
    plan: {
      format: 1,
      build: { id: '41', team: 'main', pipeline: 'app', job: 'unit', number: '7', attempt: 1 },
      containers: [],
      workdir: '/workdir',
      timeoutSeconds: 60,
      steps: [],
      secrets: ['hunter2'],
    },
  },
};
const WORD = { key: KEY, pod: POD, nonce: NONCE };

describe('a session', () => {
  test('is the plan, and the key is known without another look', async () => {
    fake.state.answer = opened;
    const answer = await ask('/agent/v1/session', { body: WORD });
    expect(answer).toEqual({ status: 200, body: opened.answer === 'opened' ? opened.response : undefined });
    await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } });
    expect(fake.state.lookUps).toBe(0);
  });

  const refusals: Record<string, [answer: AgentSessionAnswer, status: number]> = {
    'of a stranger': [{ answer: 'refused', reason: 'the Pod has another uid' }, 401],
    'whose credential another key used': [{ answer: 'taken', session: BUILD }, 401],
    'of an attempt that is over': [{ answer: 'over' }, 401],
    'of a Pod without an address yet': [{ answer: 'not-yet', reason: 'the Pod has no address' }, 503],
  };
  test.each(Object.entries(refusals))('%s is refused', async (_name, [answer, status]) => {
    fake.state.answer = answer;
    const told = await ask('/agent/v1/session', { body: WORD });
    expect(told.status).toBe(status);
    expect(JSON.stringify(told.body)).not.toContain('another uid');
  });

  test('may begin early: work first, whose it is later', async () => {
    const response = opened.answer === 'opened' ? opened.response : undefined;
    fake.state.answer = opened;
    fake.state.early = response;
    const answer = await open('/agent/v1/session', { body: WORD });
    const text = (await answer.setEncoding('utf8').toArray()).join('');
    const [work, last, ...more] = text.split('\n');
    expect(JSON.parse(work ?? '')).toEqual({ ...response, provisional: true });
    expect(JSON.parse(last ?? '')).toEqual({ confirmed: true });
    expect(more).toEqual(['']);
  });

  test.each(Object.entries(refusals))(
    '%s is refused even after it began',
    async (_name, [answer, status]) => {
      fake.state.answer = answer;
      fake.state.early = opened.answer === 'opened' ? opened.response : undefined;
      const lined = await open('/agent/v1/session', { body: WORD });
      const text = (await lined.setEncoding('utf8').toArray()).join('');
      expect(JSON.parse(text.split('\n')[1] ?? '')).toEqual({ confirmed: false, status });
      expect(text).not.toContain('another uid');
      const { status: events } = await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } });
      expect(events).toBe(401);
    },
  );

  test('a credential shown twice is an alarm in log and metrics', async () => {
    fake.state.answer = { answer: 'taken', session: BUILD };
    await ask('/agent/v1/session', { body: WORD });
    expect(lines.find((line) => line.includes('"alarm":true'))).toContain('"level":"error"');
    expect(await metrics.registry.metrics()).toContain(
      'millrace_agent_nonce_reuse_total{component="test"} 1',
    );
  });

  test('neither credential, key nor secrets reach the log', async () => {
    for (const answer of [opened, ...Object.values(refusals).map(([refused]) => refused)]) {
      fake.state.answer = answer;
      await ask('/agent/v1/session', { body: WORD });
    }
    const text = lines.join('');
    for (const secret of [NONCE, KEY, hashKey(KEY), 'hunter2']) expect(text).not.toContain(secret);
    expect(text).toContain('/agent/v1/session');
  });

  test.each([
    ['a key that is too short', { ...WORD, key: 'short' }],
    ['no Pod', { key: KEY, nonce: NONCE }],
    ['a number where a name belongs', { ...WORD, pod: { ...POD, name: 7 } }],
  ])('a request with %s is not understood', async (_name, body) => {
    expect((await ask('/agent/v1/session', { body })).status).toBe(400);
  });
});

describe('behind the key', () => {
  beforeEach(() => {
    fake.sessions.set(hashKey(KEY), BUILD);
  });

  test.each(['/agent/v1/events', '/agent/v1/check-results'])('%s refuses who has none', async (path) => {
    for (const key of [undefined, 'x'.repeat(43), hashKey(KEY)]) {
      expect((await ask(path, { body: { events: [] }, ...(key && { key }) })).status).toBe(401);
    }
  });

  test('events are acknowledged, and the key is looked up once', async () => {
    const first = await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } });
    await ask('/agent/v1/events', { key: KEY, body: { events: [] } });
    expect(first).toEqual({ status: 200, body: { acknowledged: 1 } });
    expect([fake.applied.length, fake.state.lookUps]).toEqual([1, 1]);
  });

  test('the answer to events carries a cancel', async () => {
    fake.state.cancel = true;
    const answer = await ask('/agent/v1/events', { key: KEY, body: { events: [] } });
    expect(answer.body).toEqual({ acknowledged: 0, cancel: true });
  });

  test('events may be gzipped', async () => {
    const body = gzipSync(JSON.stringify({ events: [LOG_EVENT] }));
    const headers = { 'content-encoding': 'gzip' };
    expect((await ask('/agent/v1/events', { key: KEY, body, headers })).status).toBe(200);
  });

  const hostile: Record<string, [body: unknown, headers: Record<string, string>, status: number]> = {
    'a body of more than 4 MiB': [{ events: [], filler: 'x'.repeat(4 * 1024 * 1024) }, {}, 413],
    'a small body that swells to more than 4 MiB': [
      gzipSync(JSON.stringify({ events: [], filler: ' '.repeat(64 * 1024 * 1024) })),
      { 'content-encoding': 'gzip' },
      413,
    ],
    'gzip that is none': [Buffer.from('plain'), { 'content-encoding': 'gzip' }, 400],
    'another encoding': [Buffer.from('x'), { 'content-encoding': 'br' }, 415],
    'an event without a number': [{ events: [{ ...LOG_EVENT, sequence: undefined }] }, {}, 400],
    'an event of an unknown type': [{ events: [{ ...LOG_EVENT, type: 'shutdown' }] }, {}, 400],
    'a number that is a text': [{ events: [{ ...LOG_EVENT, sequence: '1' }] }, {}, 400],
    'an outcome that only the operator may find': [
      {
        events: [
          { sequence: 1, at: AT, type: 'build-ended', outcome: 'failed', reason: 'PodEvicted', message: '' },
        ],
      },
      {},
      400,
    ],
  };
  test.each(Object.entries(hostile))('%s is refused', async (_name, [body, headers, status]) => {
    expect((await ask('/agent/v1/events', { key: KEY, body, headers })).status).toBe(status);
    expect(fake.applied).toEqual([]);
  });

  test.each([
    ['as many fields as a check may print', VERSION_LIMIT.fields, 200],
    ['more fields than a check may print', VERSION_LIMIT.fields + 1, 400],
  ])('a version with %s gets its answer', async (_name, count, status) => {
    const version = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, 'x']));
    const event = { sequence: 1, at: AT, type: 'step-ended', step: '0', status: 'succeeded', version };
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [event] } })).status).toBe(status);
    expect(fake.applied).toEqual(status === 200 ? [event] : []);
  });

  test('what Postgres cannot hold is replaced', async () => {
    const version = { ref: 'a\0b\uD800' };
    const event = { sequence: 1, at: AT, type: 'step-ended', step: '0', status: 'succeeded', version };
    await ask('/agent/v1/events', { key: KEY, body: { events: [event] } });
    expect(fake.applied).toEqual([{ ...event, version: { ref: 'a\uFFFDb\uFFFD' } }]);
  });

  test('a session that is over is told so, and forgotten', async () => {
    await ask('/agent/v1/events', { key: KEY, body: { events: [] } });
    fake.state.over = true;
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [] } })).status).toBe(401);
    fake.sessions.delete(hashKey(KEY));
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [] } })).status).toBe(401);
    expect(fake.state.lookUps).toBe(2);
  });

  test('a build sends no check results, a check run no events', async () => {
    expect(
      (await ask('/agent/v1/check-results', { key: KEY, body: { results: [], done: true } })).status,
    ).toBe(400);
    fake.sessions.set(hashKey('r'.repeat(43)), RUN);
    const key = 'r'.repeat(43);
    expect((await ask('/agent/v1/events', { key, body: { events: [] } })).status).toBe(400);
    expect(await ask('/agent/v1/check-results', { key, body: { results: [], done: true } })).toEqual({
      status: 200,
      body: {},
    });
  });

  test('an agent gone wild is slowed down', async () => {
    // All within the ten seconds for which requests are counted, however long they take.
    const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const answers = await Promise.all(
      Array.from({ length: 310 }, () => ask('/agent/v1/events', { key: KEY, body: { events: [] } })),
    );
    time.mockRestore();
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

const openings = async (count: number, from = '127.0.0.1'): Promise<number[]> => {
  const statuses = [];
  for (let index = 0; index < count; index += 1)
    statuses.push((await ask('/agent/v1/session', { body: WORD, from })).status);
  return statuses;
};

describe('calls without a session', () => {
  test('of a key that is nobody ask the database once, and from one address are refused early', async () => {
    const answers = [];
    for (let count = 0; count < MAX_REFUSED_CALLS + 5; count += 1)
      answers.push((await ask('/agent/v1/events', { key: 'bogus', body: { events: [] } })).status);
    expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    expect(fake.state.lookUps).toBe(1);
  });

  test('that want a session are refused early from one address, and only there', async () => {
    const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    fake.state.answer = { answer: 'refused', reason: 'its nonce is not of our making' };
    const statuses = await openings(MAX_REFUSED_CALLS + 5);
    const admitted = MAX_REFUSED_CALLS - OPENING_WEIGHT + 1;
    expect(statuses.indexOf(429)).toBe(admitted);
    expect(new Set(statuses.slice(admitted))).toEqual(new Set([429]));
    expect(fake.state.openings).toBe(admitted);
    fake.state.answer = opened;
    expect(await openings(1, '127.0.0.2')).toEqual([200]);
    time.mockRestore();
  });

  test('count from their beginning, so that many at once do not all pass', async () => {
    const gate = Promise.withResolvers<void>();
    fake.state.gate = gate.promise;
    const atOnce = MAX_REFUSED_CALLS / OPENING_WEIGHT;
    const refused = Promise.withResolvers<void>();
    let left = 8;
    const asking = Array.from({ length: atOnce + left }, async () => {
      const { status } = await ask('/agent/v1/session', { body: WORD });
      if (status === 429 && (left -= 1) === 0) refused.resolve();
    });
    await refused.promise;
    expect(fake.state.openings).toBe(atOnce);
    gate.resolve();
    await Promise.all(asking);
  });

  test('are not held against an agent whose Pod has no address yet', async () => {
    fake.state.answer = { answer: 'not-yet', reason: 'the Pod has no address' };
    expect(new Set(await openings(MAX_REFUSED_CALLS + 5))).toEqual(new Set([503]));
  });

  test('do not hinder the agent at the same address: steps share it', async () => {
    const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    fake.sessions.set(hashKey(KEY), BUILD);
    const events = { key: KEY, body: { events: [] } };
    expect((await ask('/agent/v1/events', events)).status).toBe(200);
    await openings(MAX_REFUSED_CALLS + 5);
    expect(await openings(1)).toEqual([429]);
    expect((await ask('/agent/v1/events', events)).status).toBe(200);
    time.mockRestore();
  });
});

test('what a body inflates to counts, not what was sent', async () => {
  const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  fake.sessions.set(hashKey(KEY), BUILD);
  const text = 'x'.repeat(60 * 1024);
  const events = Array.from({ length: 50 }, (_, index) => ({ ...LOG_EVENT, sequence: index + 1, text }));
  const gzipped = gzipSync(JSON.stringify({ events }));
  const statuses = [];
  for (let count = 0; count < 24; count += 1)
    statuses.push(
      (await ask('/agent/v1/events', { key: KEY, body: gzipped, headers: { 'content-encoding': 'gzip' } }))
        .status,
    );
  time.mockRestore();
  expect(statuses.slice(0, 21)).not.toContain(429);
  expect(statuses.slice(-2)).toEqual([429, 429]);
});

describe('the commands', () => {
  beforeEach(() => {
    fake.sessions.set(hashKey(KEY), BUILD);
  });

  test('a cancel goes out at once; the hint alone is no cancel', async () => {
    const answer = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    const received = answer.setEncoding('utf8')[Symbol.asyncIterator]();
    expect(await received.next()).toMatchObject({ value: '\n' });
    for (const listener of fake.heard) listener();
    fake.state.cancel = true;
    for (const listener of fake.heard) listener();
    expect(await received.next()).toMatchObject({ value: '{"command":"cancel"}\n' });
    answer.destroy();
  });

  test('a cancel that was asked for before is told at the beginning', async () => {
    fake.state.cancel = true;
    const answer = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      text += String(chunk);
      if (text.includes('}')) break;
    }
    expect(text).toBe('\n{"command":"cancel"}\n');
  });

  test('a session has two streams at most: a third ends the oldest', async () => {
    const first = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    const others = [];
    for (let count = 0; count < 2; count += 1)
      others.push(await open('/agent/v1/commands', { method: 'GET', key: KEY }));
    expect((await first.setEncoding('utf8').toArray()).join('')).toBe('\n');
    expect(fake.heard.size).toBe(2);
    for (const other of others) other.destroy();
  });

  test('the stream ends with the session, and with the server', async () => {
    const streams = await Promise.all(
      [1, 2].map(() => open('/agent/v1/commands', { method: 'GET', key: KEY })),
    );
    fake.state.over = true;
    for (const listener of fake.heard) listener();
    for (const stream of streams) await stream.resume().toArray();
    expect(fake.heard.size).toBe(0);
    fake.state.over = false;
    const last = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    const ended = last.resume().toArray();
    await app.close();
    await ended;
  });

  test('who has no key hears nothing', async () => {
    const answer = await open('/agent/v1/commands', { method: 'GET' });
    expect(answer.statusCode).toBe(401);
    answer.destroy();
  });
});

async function handshake(options: object = {}): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connect({
    host: '127.0.0.1',
    port: port(),
    ca: authority.certificate,
    servername: HOST,
    ...options,
  });
  socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  return await promise;
}

describe('the connection', () => {
  test('is TLS 1.3 with the elliptic key of the authority, and nothing older', async () => {
    const socket = await handshake();
    expect(socket.getProtocol()).toBe('TLSv1.3');
    expect(socket.getPeerCertificate()).toMatchObject({ asn1Curve: 'prime256v1' });
    socket.destroy();
    await expect(handshake({ maxVersion: 'TLSv1.2' })).rejects.toThrow();
  });

  test('a second one resumes the first, at another replica too', async () => {
    const other = createAgentServer({
      api: fake.api,
      certificate: await readCertificate(folder),
      log: createLog('silent', 'test'),
      metrics: agentMetrics(createMetrics('other', '0').registry),
      readiness: async () => undefined,
      version: '0',
    });
    await other.listen({ host: '127.0.0.1', port: 0 });
    const first = await handshake();
    const session = await new Promise((resolve) => first.once('session', resolve));
    const address = other.server.address();
    const again = await handshake({ session, port: typeof address === 'object' ? address?.port : 0 });
    expect([first.isSessionReused(), again.isSessionReused()]).toEqual([false, true]);
    first.destroy();
    again.destroy();
    await other.close();
  });

  test('takes a renewed certificate without a restart, and waits for the other half of a broken one', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const told: string[] = [];
      const first = await readCertificate(folder);
      const stop = followCertificate(app.server, {
        directory: folder,
        first,
        renewed: () => told.push('renewed'),
        failed: () => told.push('failed'),
      });
      const until = async (word: string): Promise<void> => {
        jest.advanceTimersByTime(10_000);
        while (told.at(-1) !== word) await new Promise(setImmediate);
      };
      writeFileSync(join(folder, 'tls.key'), (await makeAuthority('other', new Date())).key);
      await until('failed');
      const pair = await renew();
      await until('renewed');
      stop();
      const socket = await handshake();
      expect(socket.getPeerX509Certificate()?.toString()).toBe(pair.certificate.replace(/\n?$/, '\n'));
      socket.destroy();
    } finally {
      jest.useRealTimers();
    }
  });

  test('health needs no key', async () => {
    expect(await ask('/health', { method: 'GET' })).toEqual({
      status: 200,
      body: { status: 'ok', db: 'connected', version: '0.0.0-test' },
    });
  });
});

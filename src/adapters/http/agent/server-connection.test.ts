import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import { makeAuthority } from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { agentMetrics, createMetrics } from '#adapters/telemetry/metrics.ts';
import {
  app,
  ask,
  authority,
  BUILD,
  fake,
  folder,
  HOST,
  KEY,
  opened,
  openings,
  port,
  renew,
  useAgentServer,
  SESSION_REQUEST,
} from '#testing/http/agent-server-under-test.ts';
import { followCertificate, readCertificate } from './certificate.ts';
import { MAX_REFUSED_CALLS } from './refused-calls.ts';
import { createAgentServer } from './server.ts';
import { OPENING_WEIGHT } from './session-route.ts';
import { hashKey } from './sessions.ts';

useAgentServer();

const AT = '2026-11-21T10:00:00.000Z';
const LOG_EVENT = { sequence: 1, at: AT, type: 'log', step: '0', text: 'hello' };

describe('calls without a session', () => {
  test('with an unknown key query the database once and are then refused early by address', async () => {
    const answers = [];
    for (let count = 0; count < MAX_REFUSED_CALLS + 5; count += 1)
      answers.push((await ask('/agent/v1/events', { key: 'bogus', body: { events: [] } })).status);
    expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    expect(fake.state.lookUps).toBe(1);
  });

  test('that open a session are refused early by address, and other addresses are not affected', async () => {
    const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    fake.state.answer = { answer: 'refused', reason: 'Millrace did not sign its nonce' };
    const statuses = await openings(MAX_REFUSED_CALLS + 5);
    const admitted = MAX_REFUSED_CALLS - OPENING_WEIGHT + 1;
    expect(statuses.indexOf(429)).toBe(admitted);
    expect(new Set(statuses.slice(admitted))).toEqual(new Set([429]));
    expect(fake.state.openings).toBe(admitted);
    fake.state.answer = opened;
    expect(await openings(1, '127.0.0.2')).toEqual([200]);
    time.mockRestore();
  });

  test('count while they are in progress, so that many concurrent calls cannot pass the limit', async () => {
    const gate = Promise.withResolvers<void>();
    fake.state.gate = gate.promise;
    const maxConcurrent = MAX_REFUSED_CALLS / OPENING_WEIGHT;
    const refused = Promise.withResolvers<void>();
    let expectedRefusals = 8;
    const calls = Array.from({ length: maxConcurrent + expectedRefusals }, async () => {
      const { status } = await ask('/agent/v1/session', { body: SESSION_REQUEST });
      if (status === 429 && (expectedRefusals -= 1) === 0) refused.resolve();
    });
    await refused.promise;
    expect(fake.state.openings).toBe(maxConcurrent);
    gate.resolve();
    await Promise.all(calls);
  });

  test("do not count while the agent's Pod has no address yet", async () => {
    fake.state.answer = { answer: 'not-yet', reason: 'the Pod has no address' };
    expect(new Set(await openings(MAX_REFUSED_CALLS + 5))).toEqual(new Set([503]));
  });

  test('do not block an agent at the same address, which it shares with its steps', async () => {
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

test('the request rate limit counts the decompressed size of a body', async () => {
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
  test("requires TLS 1.3 with the authority's elliptic-curve key", async () => {
    const socket = await handshake();
    expect(socket.getProtocol()).toBe('TLSv1.3');
    expect(socket.getPeerCertificate()).toMatchObject({ asn1Curve: 'prime256v1' });
    socket.destroy();
    await expect(handshake({ maxVersion: 'TLSv1.2' })).rejects.toThrow();
  });

  test('can be resumed by a second connection, even at another replica', async () => {
    const other = createAgentServer({
      ...fake.parts,
      certificate: await readCertificate(folder),
      log: createLog('silent', 'test'),
      metrics: agentMetrics(createMetrics('other', '0').registry),
      readiness: async () => undefined,
      version: '0',
    });
    await other.listen({ host: '127.0.0.1', port: 0 });
    const firstSocket = await handshake();
    const session = await new Promise((resolve) => firstSocket.once('session', resolve));
    const address = other.server.address();
    const secondSocket = await handshake({ session, port: typeof address === 'object' ? address?.port : 0 });
    expect([firstSocket.isSessionReused(), secondSocket.isSessionReused()]).toEqual([false, true]);
    firstSocket.destroy();
    secondSocket.destroy();
    await other.close();
  });

  test('uses a renewed certificate without a restart and ignores one that does not match its key', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const received: string[] = [];
      const initial = await readCertificate(folder);
      const stop = followCertificate(app.server, {
        directory: folder,
        initial,
        renewed: () => received.push('renewed'),
        failed: () => received.push('failed'),
      });
      const waitFor = async (word: string): Promise<void> => {
        jest.advanceTimersByTime(10_000);
        while (received.at(-1) !== word) await new Promise(setImmediate);
      };
      writeFileSync(join(folder, 'tls.key'), (await makeAuthority('other', new Date())).key);
      await waitFor('failed');
      const pair = await renew();
      await waitFor('renewed');
      stop();
      const socket = await handshake();
      expect(socket.getPeerX509Certificate()?.toString()).toBe(pair.certificate.replace(/\n?$/, '\n'));
      socket.destroy();
    } finally {
      jest.useRealTimers();
    }
  });

  test('the health endpoint requires no key', async () => {
    expect(await ask('/health', { method: 'GET' })).toEqual({
      status: 200,
      body: { status: 'ok', db: 'connected', version: '0.0.0-test' },
    });
  });
});

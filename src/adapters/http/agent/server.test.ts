import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { AgentWork } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import { VERSION_LIMITS } from '#domain/build/parse-check-output.ts';
import type { AgentSessionAnswer } from '#flows/builds/session-ports.ts';
import {
  app,
  ask,
  BUILD,
  fake,
  KEY,
  lines,
  metrics,
  NONCE,
  open,
  opened,
  POD,
  useAgentServer,
  SESSION_REQUEST,
} from '#testing/http/agent-server-under-test.ts';
import { hashKey } from './sessions.ts';

useAgentServer();

const RUN: AgentSession = { kind: 'checks', run: 7 };
const workOf = (answer: AgentSessionAnswer): AgentWork | undefined =>
  answer.answer === 'opened' && answer.response.work !== 'wait' ? answer.response : undefined;
const AT = '2026-11-21T10:00:00.000Z';
const LOG_EVENT = { sequence: 1, at: AT, type: 'log', step: '0', text: 'hello' };

describe('identity tokens', () => {
  const body = { step: '0.on_failure.1', seconds: 90 };
  const token = `header.payload.${'s'.repeat(86)}`;

  test('are issued to the session of a build, and the log names them without their text', async () => {
    fake.sessions.set(hashKey(KEY), BUILD);
    fake.state.identity = (step) => ({
      answer: 'issued',
      tokens: { [step]: token },
      issued: [{ id: 'id-1', audience: 'vault' }],
    });
    const answer = await ask('/agent/v1/identity-tokens', { key: KEY, body });
    expect(answer).toEqual({ status: 200, body: { tokens: { '0.on_failure.1': token } } });
    const line = lines.find((text) => text.includes('identity tokens were issued')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      work: BUILD,
      step: '0.on_failure.1',
      tokens: [{ id: 'id-1', audience: 'vault' }],
    });
    expect(lines.join()).not.toContain(token.slice(-20));
  });

  test.each<[title: string, call: { session?: AgentSession; body?: object; over?: boolean; status: number }]>(
    [
      ['without a session', { status: 401 }],
      ['to a session of checks', { session: RUN, status: 400 }],
      ['to a build that has ended', { session: BUILD, over: true, status: 401 }],
      ['for a request with other fields', { session: BUILD, body: { step: 1 }, status: 400 }],
    ],
  )('are not issued %s', async (_title, { session, body: requestBody = body, over = false, status }) => {
    if (session) fake.sessions.set(hashKey(KEY), session);
    fake.state.over = over;
    expect(await ask('/agent/v1/identity-tokens', { key: KEY, body: requestBody })).toMatchObject({ status });
  });

  test('are unavailable while the gateway has no key, and refused with a reason if they cannot be issued', async () => {
    fake.sessions.set(hashKey(KEY), BUILD);
    fake.state.identity = () => ({ answer: 'unavailable', reason: 'no key yet' });
    expect(await ask('/agent/v1/identity-tokens', { key: KEY, body })).toMatchObject({ status: 503 });
    fake.state.identity = () => ({ answer: 'refused', reason: 'Set externalURL.' });
    const refused = { status: 200, body: { refused: 'Set externalURL.' } };
    expect(await ask('/agent/v1/identity-tokens', { key: KEY, body })).toEqual(refused);
  });
});

describe('a session', () => {
  test('is answered with the plan, and its key needs no look-up afterwards', async () => {
    fake.state.answer = opened;
    const answer = await ask('/agent/v1/session', { body: SESSION_REQUEST });
    expect(answer).toEqual({ status: 200, body: opened.answer === 'opened' ? opened.response : undefined });
    await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } });
    expect(fake.state.lookUps).toBe(0);
  });

  const refusals: Record<string, [answer: AgentSessionAnswer, status: number]> = {
    'another Pod': [{ answer: 'refused', reason: 'the Pod has another uid' }, 401],
    'a credential that another key has used': [{ answer: 'taken', session: BUILD }, 401],
    'an attempt that is over': [{ answer: 'over' }, 401],
    'a Pod without an address': [{ answer: 'not-yet', reason: 'the Pod has no address' }, 503],
  };
  test.each(Object.entries(refusals))('is refused to %s', async (_name, [answer, status]) => {
    fake.state.answer = answer;
    const firstAnswer = await ask('/agent/v1/session', { body: SESSION_REQUEST });
    expect(firstAnswer.status).toBe(status);
    expect(JSON.stringify(firstAnswer.body)).not.toContain('another uid');
  });

  test('can start provisionally: the plan comes first and the confirmation later', async () => {
    const response = workOf(opened);
    fake.state.answer = opened;
    fake.state.early = response;
    const answer = await open('/agent/v1/session', { body: SESSION_REQUEST });
    const text = (await answer.setEncoding('utf8').toArray()).join('');
    const [work, confirmation, ...afterLastLine] = text.split('\n');
    expect(JSON.parse(work ?? '')).toEqual({ ...response, provisional: true });
    expect(JSON.parse(confirmation ?? '')).toEqual({ confirmed: true });
    expect(afterLastLine).toEqual(['']);
  });

  test.each(Object.entries(refusals))(
    'is revoked after a provisional start for %s',
    async (_name, [answer, status]) => {
      fake.state.answer = answer;
      fake.state.early = workOf(opened);
      const response = await open('/agent/v1/session', { body: SESSION_REQUEST });
      const text = (await response.setEncoding('utf8').toArray()).join('');
      expect(JSON.parse(text.split('\n')[1] ?? '')).toEqual({ confirmed: false, status });
      expect(text).not.toContain('another uid');
      const { status: events } = await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } });
      expect(events).toBe(401);
    },
  );

  test('raises an alarm in the log and the metrics if a credential is used twice', async () => {
    fake.state.answer = { answer: 'taken', session: BUILD };
    await ask('/agent/v1/session', { body: SESSION_REQUEST });
    expect(lines.find((line) => line.includes('"alarm":true'))).toContain('"level":"error"');
    expect(await metrics.registry.metrics()).toContain(
      'millrace_agent_nonce_reuse_total{component="test"} 1',
    );
  });

  test('writes no credential, key or secret to the log', async () => {
    for (const answer of [opened, ...Object.values(refusals).map(([refusal]) => refusal)]) {
      fake.state.answer = answer;
      await ask('/agent/v1/session', { body: SESSION_REQUEST });
    }
    const text = lines.join('');
    for (const secret of [NONCE, KEY, hashKey(KEY)]) expect(text).not.toContain(secret);
    expect(text).toContain('/agent/v1/session');
  });

  test.each([
    ['a key that is too short', { ...SESSION_REQUEST, key: 'short' }],
    ['no Pod', { key: KEY, nonce: NONCE }],
    ["a number as the Pod's name", { ...SESSION_REQUEST, pod: { ...POD, name: 7 } }],
  ])('is a bad request with %s', async (_name, body) => {
    expect((await ask('/agent/v1/session', { body })).status).toBe(400);
  });
});

describe('a call with a session key', () => {
  beforeEach(() => {
    fake.sessions.set(hashKey(KEY), BUILD);
  });

  test.each(['/agent/v1/events', '/agent/v1/check-results'])(
    'to %s is refused without a valid key',
    async (path) => {
      for (const key of [undefined, 'x'.repeat(43), hashKey(KEY)]) {
        expect((await ask(path, { body: { events: [] }, ...(key && { key }) })).status).toBe(401);
      }
    },
  );

  test('has its events acknowledged, and its key is looked up once', async () => {
    const first = await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } });
    await ask('/agent/v1/events', { key: KEY, body: { events: [] } });
    expect(first).toEqual({ status: 200, body: { acknowledged: 1 } });
    expect([fake.applied.length, fake.state.lookUps]).toEqual([1, 1]);
  });

  test('is answered with a pending cancel', async () => {
    fake.state.cancel = true;
    const answer = await ask('/agent/v1/events', { key: KEY, body: { events: [] } });
    expect(answer.body).toEqual({ acknowledged: 0, cancel: true });
  });

  test('can send gzipped events', async () => {
    const body = gzipSync(JSON.stringify({ events: [LOG_EVENT] }));
    const headers = { 'content-encoding': 'gzip' };
    expect((await ask('/agent/v1/events', { key: KEY, body, headers })).status).toBe(200);
  });

  const hostile: Record<string, [body: unknown, headers: Record<string, string>, status: number]> = {
    'a body larger than 4 MiB': [{ events: [], filler: 'x'.repeat(4 * 1024 * 1024) }, {}, 413],
    'a small body that inflates to more than 4 MiB': [
      gzipSync(JSON.stringify({ events: [], filler: ' '.repeat(64 * 1024 * 1024) })),
      { 'content-encoding': 'gzip' },
      413,
    ],
    'invalid gzip data': [Buffer.from('plain'), { 'content-encoding': 'gzip' }, 400],
    'another encoding': [Buffer.from('x'), { 'content-encoding': 'br' }, 415],
    'an event without a sequence number': [{ events: [{ ...LOG_EVENT, sequence: undefined }] }, {}, 400],
    'an event of an unknown type': [{ events: [{ ...LOG_EVENT, type: 'shutdown' }] }, {}, 400],
    'a sequence number that is a string': [{ events: [{ ...LOG_EVENT, sequence: '1' }] }, {}, 400],
    'an outcome that only the operator may report': [
      {
        events: [
          { sequence: 1, at: AT, type: 'build-ended', outcome: 'failed', reason: 'PodEvicted', message: '' },
        ],
      },
      {},
      400,
    ],
  };
  test.each(Object.entries(hostile))('is refused with %s', async (_name, [body, headers, status]) => {
    expect((await ask('/agent/v1/events', { key: KEY, body, headers })).status).toBe(status);
    expect(fake.applied).toEqual([]);
  });

  test.each([
    ['may report a version with as many fields as a check may print', VERSION_LIMITS.fields, 200],
    ['is refused with a version of more fields', VERSION_LIMITS.fields + 1, 400],
  ])('%s', async (_name, count, status) => {
    const version = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, 'x']));
    const event = { sequence: 1, at: AT, type: 'step-ended', step: '0', status: 'succeeded', version };
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [event] } })).status).toBe(status);
    expect(fake.applied).toEqual(status === 200 ? [event] : []);
  });

  test('has characters replaced that Postgres cannot store', async () => {
    const version = { ref: 'a\0b\uD800' };
    const event = { sequence: 1, at: AT, type: 'step-ended', step: '0', status: 'succeeded', version };
    await ask('/agent/v1/events', { key: KEY, body: { events: [event] } });
    expect(fake.applied).toEqual([{ ...event, version: { ref: 'a\uFFFDb\uFFFD' } }]);
  });

  test('learns that its session is over, and the session is removed from the cache', async () => {
    await ask('/agent/v1/events', { key: KEY, body: { events: [] } });
    fake.state.over = true;
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [] } })).status).toBe(401);
    fake.sessions.delete(hashKey(KEY));
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [] } })).status).toBe(401);
    expect(fake.state.lookUps).toBe(2);
  });

  test('can send check results only for a check run, and events only for a build', async () => {
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

  test('is rate-limited if the agent sends too much', async () => {
    // All calls fall into one period of ten seconds, however long they take.
    const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const answers = await Promise.all(
      Array.from({ length: 310 }, () => ask('/agent/v1/events', { key: KEY, body: { events: [] } })),
    );
    time.mockRestore();
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  const MIB = 1024 * 1024;
  test.each([
    ['is not JSON', 3 * MIB, '{', 400],
    ['is not a message', 3 * MIB, '{"events":"none"}', 400],
    ['is too long', 30 * MIB, '{"events":[]}', 413],
  ])('is rate-limited by the inflated bytes of a body that %s', async (_, blanks, text, status) => {
    const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const body = gzipSync(`${' '.repeat(blanks)}${text}`);
    const headers = { 'content-encoding': 'gzip' };
    const statuses: number[] = [];
    for (let sent = 0; sent < 24; sent += 1)
      statuses.push((await ask('/agent/v1/events', { key: KEY, body, headers })).status);
    time.mockRestore();
    expect([statuses[0], statuses.at(-1)]).toEqual([status, 429]);
  });
});

describe('the command stream', () => {
  beforeEach(() => {
    fake.sessions.set(hashKey(KEY), BUILD);
  });

  test('sends a cancel at once, but only if the database confirms the hint', async () => {
    const answer = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    const received = answer.setEncoding('utf8')[Symbol.asyncIterator]();
    expect(await received.next()).toMatchObject({ value: '\n' });
    for (const listener of fake.heard) listener();
    fake.state.cancel = true;
    for (const listener of fake.heard) listener();
    expect(await received.next()).toMatchObject({ value: '{"command":"cancel"}\n' });
    answer.destroy();
  });

  test('sends a cancel at its start that was requested earlier', async () => {
    fake.state.cancel = true;
    const answer = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      text += String(chunk);
      if (text.includes('}')) break;
    }
    expect(text).toBe('\n{"command":"cancel"}\n');
  });

  test('is limited to two per session: a third one ends the oldest', async () => {
    const first = await open('/agent/v1/commands', { method: 'GET', key: KEY });
    const others = [];
    for (let count = 0; count < 2; count += 1)
      others.push(await open('/agent/v1/commands', { method: 'GET', key: KEY }));
    expect((await first.setEncoding('utf8').toArray()).join('')).toBe('\n');
    expect(fake.heard.size).toBe(2);
    for (const stream of others) stream.destroy();
  });

  test('ends with its session and with the server', async () => {
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

  test('requires a valid key', async () => {
    const answer = await open('/agent/v1/commands', { method: 'GET' });
    expect(answer.statusCode).toBe(401);
    answer.destroy();
  });
});

const textOf = async (path: string): Promise<string> => {
  const answer = await open(path, { method: 'GET', key: KEY });
  return (await answer.setEncoding('utf8').toArray()).join('').trimStart();
};

describe('the stream of a Pod that waits for work', () => {
  const WARM: AgentSession = { kind: 'warm', warm: 7 };
  const WORK = { work: 'build', plan: { format: 3 } };
  const begin = (): void => {
    Object.assign(fake.state, { warm: { answer: 'begin', session: BUILD, work: WORK } });
  };
  beforeEach(() => {
    fake.sessions.set(hashKey(KEY), WARM);
  });

  test('sends the work when a build takes the Pod, and then ends', async () => {
    const answer = await open('/agent/v1/work?architecture=arm64', { method: 'GET', key: KEY });
    const received = answer.setEncoding('utf8')[Symbol.asyncIterator]();
    expect(await received.next()).toMatchObject({ value: '\n' });
    for (const listener of fake.heard) listener();
    begin();
    for (const listener of fake.heard) listener();
    expect(await received.next()).toMatchObject({ value: `${JSON.stringify(WORK)}\n` });
    expect(await received.next()).toMatchObject({ done: true });
  });

  test('makes the key of the Pod the key of the build, so that its events count at once', async () => {
    begin();
    expect(JSON.parse(await textOf('/agent/v1/work'))).toEqual(WORK);
    expect((await ask('/agent/v1/events', { key: KEY, body: { events: [LOG_EVENT] } })).status).toBe(200);
  });

  test('ends without work when the Pod is not needed any more', async () => {
    fake.state.warm = { answer: 'over' };
    expect(await textOf('/agent/v1/work')).toBe('');
  });

  test('ends with the server, and when a newer stream with the same key begins', async () => {
    const first = await open('/agent/v1/work', { method: 'GET', key: KEY });
    const second = await open('/agent/v1/work', { method: 'GET', key: KEY });
    await first.resume().toArray();
    const ended = second.resume().toArray();
    await app.close();
    await ended;
  });

  test('gives a waiting Pod no secrets, events, results or tokens', async () => {
    const bodies = {
      '/agent/v1/secrets': { operation: '0' },
      '/agent/v1/events': { events: [LOG_EVENT] },
      '/agent/v1/check-results': { results: [], done: true },
      '/agent/v1/identity-tokens': { step: '0' },
    };
    for (const [path, body] of Object.entries(bodies))
      expect([path, (await ask(path, { key: KEY, body })).status]).toEqual([path, 400]);
  });

  test('is refused to a check run', async () => {
    fake.sessions.set(hashKey(KEY), RUN);
    expect((await open('/agent/v1/work', { method: 'GET', key: KEY })).statusCode).toBe(400);
  });
});

import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
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
  WORD,
} from '#testing/http/agent-server-under-test.ts';
import { hashKey } from './sessions.ts';

const RUN: AgentSession = { kind: 'checks', run: 7 };
const AT = '2026-11-21T10:00:00.000Z';
const LOG_EVENT = { sequence: 1, at: AT, type: 'log', step: '0', text: 'hello' };

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
    const firstAnswer = await ask('/agent/v1/session', { body: WORD });
    expect(firstAnswer.status).toBe(status);
    expect(JSON.stringify(firstAnswer.body)).not.toContain('another uid');
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
    ['as many fields as a check may print', VERSION_LIMITS.fields, 200],
    ['more fields than a check may print', VERSION_LIMITS.fields + 1, 400],
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

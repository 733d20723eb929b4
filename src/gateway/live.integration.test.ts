import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/*
 * Two replicas over one Postgres, each with its own listening connection. The agent reports to the first
 * replica.
 */
const QUICK = { recheckMs: 50, heartbeatMs: 200, maxWaitMs: 5000, perAccount: 4 };
const APP = '/teams/main/pipelines/app';
const BUILD = `${APP}/jobs/unit/builds/1`;

let stores: TestStores;
let first: Gateway;
let second: Gateway;
let ann: string;
let build: { build: number; attempt: number };
let lastSequence = 0;
const open: EventReader[] = [];

beforeAll(async () => {
  stores = await openStores();
  first = await openGateway(stores, { limits: QUICK });
  second = await openGateway(stores, { limits: QUICK });
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(
    toSave(samplePipeline({ jobs: [job('unit', getStep('git.app', { trigger: false }), task('test'))] })),
  );
  await recordFoundVersions(stores, saved, [{ ref: 'a1' }]);
  await first.account('ann', { teams: { main: 'write' } });
  ann = await first.session('ann');
  const triggered = await first.ask(`POST ${APP}/jobs/unit/trigger`, { as: ann });
  if (triggered.status !== 201) throw new Error(JSON.stringify(triggered.body) + first.lines.join(''));
  await giveTurns(stores);
  const [started] = await stores.builds.buildsToStart(10);
  if (started === undefined) throw new Error('no build to start');
  await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
  build = { build: started.id, attempt: started.attempt };
  lastSequence = 0;
});
afterEach(async () => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await stores.close();
});

type EventToSend = BuildEvent extends infer E
  ? E extends BuildEvent
    ? Omit<E, 'sequence' | 'at'>
    : never
  : never;

/** Reports events as the agent of the build, at the first replica. */
async function sendEvents(...events: EventToSend[]): Promise<void> {
  const at = new Date().toISOString();
  const numbered = events.map((event, index) => ({ ...event, at, sequence: lastSequence + index + 1 }));
  lastSequence += events.length;
  await followBuild(build, numbered, { builds: stores.builds, notifications: first.notifications });
}
const log = (text: string): EventToSend => ({ type: 'log', step: '1', text });
const done = (step: string): EventToSend => ({ type: 'step-ended', step, status: 'succeeded', exitCode: 0 });
const END: EventToSend = {
  type: 'build-ended',
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All.',
};

async function read(at: Gateway, path: string, more: Record<string, string> = {}): Promise<EventReader> {
  const reader = await readEvents(`${at.base}${path}`, { authorization: `Bearer ${ann}`, ...more });
  open.push(reader);
  return reader;
}
const eventsNamed = (reader: EventReader, name: string) =>
  reader.events.filter((event) => event.name === name);
/** Reads a sample of the second replica's metrics. */
async function readSample(name: string, labels: Record<string, string>): Promise<number> {
  const labelTexts = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = (await second.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  const sample = lines.find((line) => labelTexts.every((label) => line.includes(label)));
  return Number(sample?.split(' ').at(-1) ?? 0);
}
const textOf = (reader: EventReader): string =>
  eventsNamed(reader, 'log')
    .map(({ data }) => {
      const { text }: { text: string } = JSON.parse(data);
      return text;
    })
    .join('');

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

const OPEN = 'millrace_event_streams';
const ENDED = 'millrace_event_streams_ended_total';

describe('the stream of a build', () => {
  test('sends state, log and end, also from a replica to which the agent does not report', async () => {
    const reader = await read(second, `${BUILD}/events`);
    expect([reader.status, reader.headers['content-type'], reader.headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store, no-transform',
    ]);
    await sendEvents(
      { type: 'step-started', step: '0' },
      done('0'),
      { type: 'step-started', step: '1' },
      log('one\n'),
    );
    await until(() => textOf(reader) === 'one\n');
    await sendEvents(log('two\n'));
    await until(() => textOf(reader) === 'one\ntwo\n');
    await sendEvents(done('1'), END);
    await reader.over;
    const states = eventsNamed(reader, 'build').map(({ data }) => {
      const { status }: { status: string } = JSON.parse(data);
      return status;
    });
    expect([states[0], states.at(-1)]).toEqual(['pending', 'succeeded']);
    expect(reader.events.at(-1)).toMatchObject({ name: 'end', data: '{"complete":true}' });
  });

  test('resumes after the chunk in Last-Event-ID, also at another replica', async () => {
    await sendEvents(log('one\n'), log('two\n'));
    const before = await read(first, `${BUILD}/events`);
    await until(() => eventsNamed(before, 'log').length === 2);
    before.close();
    await sendEvents(log('three\n'));
    const [firstChunk] = eventsNamed(before, 'log');
    const after = await read(second, `${BUILD}/events`, { 'last-event-id': firstChunk?.id ?? '' });
    await until(() => textOf(after) === 'two\nthree\n');
    await sendEvents(END);
    await after.over;
    expect(textOf(after)).toBe('two\nthree\n');
    expect((await read(first, `${BUILD}/events?after=${lastSequence}`)).status).toBe(200);
  });

  test('of an ended build sends the whole log and the end', async () => {
    const lines = Array.from({ length: 700 }, (_, index) => log(`line ${index} ${'x'.repeat(400)}\n`));
    await sendEvents(...lines, END);
    const reader = await read(second, `${BUILD}/events`);
    await reader.over;
    expect(textOf(reader)).toBe(lines.map((line) => ('text' in line ? line.text : '')).join(''));
  });

  test('loses and repeats no line when the connections of a replica break', async () => {
    let text = '';
    let last = '0';
    const receivedIds: string[] = [];
    const follow = async (at: Gateway): Promise<EventReader> =>
      await readEvents(
        `${at.base}${BUILD}/events`,
        { authorization: `Bearer ${ann}`, 'last-event-id': last },
        ({ name, id, data }) => {
          if (name !== 'log') return;
          const chunk: { text: string } = JSON.parse(data);
          text += chunk.text;
          last = id ?? last;
          receivedIds.push(last);
        },
      );
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}\n`);
    const reporting = (async () => {
      for (const line of lines) await sendEvents(log(line));
    })();
    const reader = await follow(second);
    await until(() => receivedIds.length > 20);
    // As after a kill of the process, the connections end without a last event.
    second.app.server.closeAllConnections();
    await reader.over;
    const other = await follow(first);
    await reporting;
    await sendEvents(END);
    await other.over;
    expect(text).toBe(lines.join(''));
  });

  test('is cut off for a client that does not read, and continues for the others', async () => {
    const closedPorts = new Set<number | undefined>();
    second.app.server.on('connection', (socket) => {
      const { remotePort } = socket;
      socket.on('close', () => closedPorts.add(remotePort));
    });
    const cutBefore = await readSample(ENDED, { kind: 'build', reason: 'slow' });
    const slow = await read(second, `${BUILD}/events`);
    const quick = await read(second, `${BUILD}/events`);
    slow.pause();
    const lines: string[] = [];
    for (let index = 0; index < 120; index += 1) {
      const line = `${index} ${'y'.repeat(60_000)}\n`;
      lines.push(line);
      await sendEvents(log(line));
    }
    await until(() => textOf(quick).length === lines.join('').length);
    await until(() => closedPorts.has(slow.port));
    await until(async () => (await readSample(ENDED, { kind: 'build', reason: 'slow' })) > cutBefore);
    slow.resume();
    await slow.over;
    const textBeforeCut = textOf(slow);
    expect(lines.join('').startsWith(textBeforeCut) && textBeforeCut.length < lines.join('').length).toBe(
      true,
    );
    const again = await read(second, `${BUILD}/events`, {
      'last-event-id': eventsNamed(slow, 'log').at(-1)?.id ?? '0',
    });
    await until(() => (textBeforeCut + textOf(again)).length === lines.join('').length);
    expect(textBeforeCut + textOf(again)).toBe(lines.join(''));
  });
});

describe('the stream of a pipeline', () => {
  interface State {
    pipeline: { paused: boolean };
    jobs: { name: string; paused: boolean; latest_status?: string }[];
  }
  const statesOf = (reader: EventReader): State[] =>
    eventsNamed(reader, 'pipeline').map(({ data }) => {
      const state: State = JSON.parse(data);
      return state;
    });

  test('sends the whole state at once and after each change, but not to a client that has it', async () => {
    const reader = await read(second, `${APP}/events`);
    await until(() => statesOf(reader).length > 0);
    expect(statesOf(reader)[0]).toMatchObject({
      pipeline: { paused: false },
      jobs: [{ name: 'unit', latest_status: 'pending' }],
    });
    await first.ask(`POST ${APP}/jobs/unit/pause`, { as: ann });
    await until(() => statesOf(reader).at(-1)?.jobs[0]?.paused === true);
    await sendEvents({ type: 'step-started', step: '1' });
    await until(() => statesOf(reader).at(-1)?.jobs[0]?.latest_status === 'started');
    const id = eventsNamed(reader, 'pipeline').at(-1)?.id ?? '';
    const other = await read(second, `${APP}/events`, { 'last-event-id': id });
    await first.ask(`POST ${APP}/jobs/unit/unpause`, { as: ann });
    await until(() => statesOf(other).length > 0);
    expect(statesOf(other)).toHaveLength(1);
    expect(statesOf(other)[0]?.jobs[0]?.paused).toBe(false);
  });

  test('answers 404 if the pipeline does not exist or belongs to another team', async () => {
    const answers = [];
    for (const path of ['/teams/main/pipelines/nobody/events', `${APP}/jobs/unit/builds/9/events`])
      answers.push((await first.ask(`GET ${path}`, { as: ann })).status);
    await first.account('bob');
    answers.push((await first.ask(`GET ${APP}/events`, { as: await first.session('bob') })).status);
    expect(answers).toEqual([404, 404, 404]);
  });
});

describe('streams', () => {
  test('end when their session ends or their viewer loses the role', async () => {
    const reader = await read(second, `${BUILD}/events`);
    await first.ask('POST /auth/logout', { as: ann });
    await reader.over;
    expect(reader.events.at(-1)?.name).toBe('closed');
    ann = await first.session('ann');
    const member = await read(second, `${APP}/events`);
    await stores.pool.query(rows()`DELETE FROM team_members`);
    await member.over;
    expect(member.events.at(-1)?.name).toBe('closed');
    for (const kind of ['build', 'pipeline'])
      await until(async () => (await readSample(ENDED, { kind, reason: 'rights' })) > 0);
  });

  test('are limited for each person', async () => {
    for (const kind of ['build', 'pipeline'])
      await until(async () => (await readSample(OPEN, { kind })) === 0);
    for (let times = 0; times < QUICK.perAccount; times += 1) await read(second, `${APP}/events`);
    const refused = await read(second, `${APP}/events`);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    expect(await readSample(OPEN, { kind: 'pipeline' })).toBe(QUICK.perAccount);
    expect(await readSample('millrace_event_streams_refused_total', { reason: 'account' })).toBe(1);
    open[0]?.close();
    let status = 429;
    while (status === 429) status = (await read(second, `${APP}/events`)).status;
    expect(status).toBe(200);
  });

  test('end when the process stops, after they have told clients when to reconnect', async () => {
    const reader = await read(second, `${BUILD}/events`);
    await until(() => eventsNamed(reader, 'build').length === 1);
    await second.close();
    await reader.over;
    expect(reader.retry).toMatch(/^retry: [12]\d{3}$/);
    expect(reader.events.map(({ name }) => name)).toEqual(['build']);
    second = await openGateway(stores, { limits: QUICK });
  });

  test('are not opened by a HEAD request', async () => {
    for (const path of [`${BUILD}/events`, `${APP}/events`]) {
      const answer = await fetch(`${first.base}${path}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${ann}` },
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      expect(await answer.text()).toBe('');
    }
  });

  test('send comments while nothing happens', async () => {
    const reader = await read(second, `${BUILD}/events`);
    await until(() => reader.keepAlives > 1);
    expect(reader.events.length).toBeLessThan(2);
  });
});

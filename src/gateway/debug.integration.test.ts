import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { DebugReport } from '#domain/build/agent-protocol.ts';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { exchangeDebug, MAX_BACKLOG_CHARACTERS } from '#flows/builds/exchange-debug.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { AttemptRef } from '#flows/builds/ports.ts';
import { removeForgottenShells } from '#flows/builds/remove-forgotten-shells.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { giveTurns, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * Shells in running steps, over HTTP and a real Postgres. The test plays the agent. It sends input to one
 * replica of the gateway and reads output from another.
 */

const UNIT = '/teams/main/pipelines/app/jobs/unit';
const DEBUG = `${UNIT}/builds/1/debug`;

let stores: TestStores;
let gateway: Gateway;
let second: Gateway;
let attempt: AttemptRef;
let ann: string;
let clockAheadMs = 0;
const now = (): Date => new Date(Date.now() + clockAheadMs);

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { now });
  second = await openGateway(stores, { now, limits: { recheckMs: 200 } });
});
afterAll(async () => {
  await gateway.close();
  await second.close();
  await stores.close();
});
beforeEach(async () => {
  clockAheadMs = 0;
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', debug: true });
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [job('unit', task('test'))] })));
  for (const [name, role] of [
    ['ann', 'maintain'],
    ['bob', 'maintain'],
    ['will', 'write'],
  ] as const)
    await gateway.account(name, { teams: { main: role } });
  ann = await gateway.session('ann');
  await gateway.ask(`POST ${UNIT}/trigger`, { as: ann });
  await giveTurns(stores);
  const [started] = await stores.builds.buildsToStart(10);
  if (started === undefined) throw new Error('no build to start');
  attempt = { build: started.id, attempt: started.attempt };
  await stores.builds.podCreated(attempt.build, attempt.attempt, 'pod', new Date());
});

type Step = 'step-started' | 'step-ended';
async function report(...steps: [type: Step, step: string][]): Promise<void> {
  const answer = await followBuild(attempt, [], followPorts());
  const acknowledged = answer === 'over' ? 0 : answer.acknowledged;
  const at = new Date().toISOString();
  const events = steps.map(([type, step], index) => ({
    sequence: acknowledged + index + 1,
    at,
    step,
    ...(type === 'step-started' ? { type } : { type, status: 'succeeded' as const }),
  }));
  await followBuild(attempt, events, followPorts());
}

const followPorts = () => ({ builds: stores.builds, notifications: gateway.notifications });

const exchange = async (...sessions: DebugReport[]) =>
  await exchangeDebug(attempt, { sessions }, { ...stores, notifications: gateway.notifications, now });

async function open(body: object = {}, as = ann): Promise<number> {
  const answer = await gateway.ask<{ data: { session: number } }>(`POST ${DEBUG}`, { as, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.session;
}

/** Opens the stream of a shell's output at the second replica. */
async function openOutput(id: number) {
  const waiting: (() => void)[] = [];
  const reader: EventReader = await readEvents(
    `${second.base}${DEBUG}/${id}/output`,
    { authorization: `Bearer ${ann}` },
    () => waiting.splice(0).forEach((resolve) => resolve()),
  );
  expect(reader.status).toBe(200);
  return {
    async next(name: string): Promise<{ id: string | undefined; data: unknown }> {
      for (;;) {
        const event = reader.events.find((candidate) => candidate.name === name);
        if (event !== undefined) return { id: event.id, data: JSON.parse(event.data) };
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** Opens a shell. Returns the status and the reason of the refusal. */
async function refusal(body: object = {}): Promise<string> {
  const { status, body: problem } = await gateway.ask<{ detail: string }>(`POST ${DEBUG}`, {
    as: ann,
    body,
  });
  return `${status} ${problem.detail}`;
}

async function auditEntries(): Promise<object[]> {
  const entries = await stores.pool.any(rows<{
    actor: string;
    action: string;
    target: string;
    details: object;
  }>()`
    SELECT actor, action, target, details FROM audit_log WHERE action LIKE 'build.debug%' ORDER BY id`);
  return [...entries];
}

describe('a shell in a running step', () => {
  test('passes input to the agent and output to its person, each once, and is in the audit log', async () => {
    await report(['step-started', '0']);
    const command = ['curl', '--header', 'Authorization: hunter2'];
    const id = await open({ command, terminal: { columns: 80, rows: 24 } });
    const work = { id, step: '0', openedBy: 'ann', command, terminal: { columns: 80, rows: 24 } };
    expect(await exchange()).toEqual({ sessions: [{ ...work, received: 0, input: [] }] });

    const input = { sequence: 1, data: encode('x'), received: 0 };
    for (let time = 0; time < 2; time += 1) {
      const response = await gateway.ask(`POST ${DEBUG}/${id}/input`, { as: ann, body: input });
      expect(response.body.data).toEqual({ accepted: 1, ended: false });
    }
    const size = { sequence: 2, columns: 90, rows: 30, received: 0 };
    await gateway.ask(`POST ${DEBUG}/${id}/input`, { as: ann, body: size });
    const afterGap = { sequence: 9, data: encode('y'), received: 0 };
    const refused = await gateway.ask(`POST ${DEBUG}/${id}/input`, { as: ann, body: afterGap });
    expect(refused.body.data).toEqual({ accepted: 2, ended: false });
    expect((await exchange()).sessions[0]?.input).toEqual([
      { sequence: 1, data: encode('x') },
      { sequence: 2, columns: 90, rows: 30 },
    ]);

    const events = await openOutput(id);
    const printed = { id, received: 1, output: [{ sequence: 1, data: encode('one') }] };
    expect((await exchange(printed)).sessions[0]).toMatchObject({ received: 1, input: [{ sequence: 2 }] });
    expect((await exchange(printed)).sessions[0]).toMatchObject({ received: 1 });
    expect(await events.next('output')).toMatchObject({ id: '1', data: { data: encode('one') } });
    const end = { reason: 'exited', message: 'The shell has ended.', exitCode: 4 } as const;
    expect(await exchange({ id, received: 2, output: [], end })).toEqual({ sessions: [] });
    await gateway.ask(`POST ${DEBUG}/${id}/input`, { as: ann, body: { received: 1 } });
    expect(await events.next('end')).toMatchObject({ data: { reason: 'exited', exit_code: 4 } });
    expect((await gateway.ask(`DELETE ${DEBUG}/${id}`, { as: ann })).status).toBe(204);
    expect((await gateway.ask(`DELETE ${DEBUG}/${id}`, { as: ann })).status).toBe(404);
    const about = { actor: 'ann', target: 'app/unit/1' };
    expect(await auditEntries()).toEqual([
      {
        ...about,
        action: 'build.debug_opened',
        details: { step: expect.any(String), command: 'curl', arguments: 2 },
      },
      {
        ...about,
        action: 'build.debug_ended',
        details: { step: expect.any(String), reason: 'exited', exit_code: 4 },
      },
    ]);
    const left = await stores.pool.oneFirst(rows<{ left: number }>()`
      SELECT (SELECT count(*) FROM debug_sessions) + (SELECT count(*) FROM debug_messages) AS left`);
    expect(left).toBe(0);
  });

  test('is refused with the reason and what to do', async () => {
    expect(await refusal()).toMatch(/^409 (No step runs|The build has not started)/);
    await report(['step-started', '0']);
    expect(await refusal({ step: 'deploy' })).toMatch(/^409 No step deploy runs at the moment\. Running: /);
    for (let index = 0; index < DEBUG_LIMITS.sessions; index += 1) await open();
    expect(await refusal()).toBe('409 2 shells are open in this build, the maximum. Close one of them.');
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', debug: false });
    expect(await refusal()).toMatch(/^409 Team main does not allow shells/);
  });

  test('belongs to the person who opened it', async () => {
    await report(['step-started', '0']);
    const id = await open();
    for (const [name, status] of [
      ['bob', 404],
      ['will', 403],
    ] as const) {
      const as = await gateway.session(name);
      const body = { received: 0 };
      const answers = [
        await gateway.ask(`POST ${DEBUG}/${id}/input`, { as, body }),
        await gateway.ask(`GET ${DEBUG}/${id}/output`, { as }),
        await gateway.ask(`DELETE ${DEBUG}/${id}`, { as }),
      ];
      expect([name, ...answers.map((answer) => answer.status)]).toEqual([name, status, status, status]);
    }
    const ofOtherBuild = DEBUG.replace('/builds/1/', '/builds/2/');
    expect((await gateway.ask(`DELETE ${ofOtherBuild}/${id}`, { as: ann })).status).toBe(404);
  });

  test('has bounded queues in both directions, which accept more when the other side has read', async () => {
    await report(['step-started', '0']);
    const id = await open();
    const data = 'A'.repeat((DEBUG_LIMITS.messageBytes / 3) * 4);
    const maxMessages = Math.floor(MAX_BACKLOG_CHARACTERS / data.length);
    let accepted = 0;
    for (let sequence = 1; sequence <= maxMessages + 1; sequence += 1) {
      const body = { sequence, data, received: 0 };
      const response = await gateway.ask<{ data: { accepted: number } }>(`POST ${DEBUG}/${id}/input`, {
        as: ann,
        body,
      });
      ({ accepted } = response.body.data);
    }
    expect(accepted).toBeLessThanOrEqual(maxMessages);
    expect(accepted).toBeGreaterThan(maxMessages - 2);
    const output = Array.from({ length: maxMessages + 2 }, (_, index) => ({ sequence: index + 1, data }));
    const first = (await exchange({ id, received: accepted, output })).sessions[0];
    expect(first).toMatchObject({ received: maxMessages, input: [] });
    await gateway.ask(`POST ${DEBUG}/${id}/input`, { as: ann, body: { received: 2 } });
    const secondAnswer = (await exchange({ id, received: accepted, output: output.slice(maxMessages) }))
      .sessions[0];
    expect(secondAnswer).toMatchObject({ received: maxMessages + 2 });
  });

  const ends: Record<string, [cause: () => Promise<unknown>, reason: string]> = {
    'when its build ends': [
      async () => {
        await stores.pool.query(rows()`UPDATE builds SET status = 'failed', ended_at = now()`);
      },
      'step-ended',
    ],
    'when the team no longer allows it': [
      async () => await stores.teams.saveTeam({ name: 'main', namespace: 'main', debug: false }),
      'not-allowed',
    ],
    'when nobody types for too long': [
      async () => {
        await exchangeDebug(
          attempt,
          { sessions: [] },
          { ...stores, notifications: gateway.notifications, now },
        );
        await stores.pool.query(rows()`UPDATE debug_sessions SET state = 'open'`);
        clockAheadMs = DEBUG_LIMITS.idleMs + 1000;
      },
      'idle',
    ],
    'when its agent does not answer': [
      async () => {
        clockAheadMs = DEBUG_LIMITS.openingMs + 1000;
      },
      'no-answer',
    ],
  };
  test.each(Object.entries(ends))(
    'ends %s, and its person learns why',
    async (_sentence, [cause, reason]) => {
      await report(['step-started', '0']);
      const id = await open();
      const events = await openOutput(id);
      await cause();
      expect(await events.next('end')).toMatchObject({ data: { reason } });
      expect(await exchange()).toEqual({ sessions: [] });
      expect(await auditEntries()).toMatchObject([{}, { action: 'build.debug_ended', details: { reason } }]);
    },
  );

  test('ends and is removed when its person has left, whether or not the agent still reports', async () => {
    await report(['step-started', '0']);
    await open();
    await open();
    clockAheadMs = DEBUG_LIMITS.awayMs + 1000;
    expect(await exchange()).toEqual({ sessions: [] });
    await removeForgottenShells({ ...stores, now });
    expect(await auditEntries()).toMatchObject([
      {},
      {},
      { action: 'build.debug_ended', details: { reason: 'left' } },
      { action: 'build.debug_ended', details: { reason: 'left' } },
    ]);
    expect(await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM debug_sessions`)).toBe(
      0,
    );
  });
});

describe('the permission of a team', () => {
  test('is off by default, and an admin changes it over the API, unless the manifest sets it', async () => {
    await stores.teams.saveTeam({ name: 'shop', namespace: 'shop' });
    await gateway.account('root', { globalAdmin: true });
    const as = await gateway.session('root');
    const read = async () =>
      (await gateway.ask<{ data: { debug: boolean; by_manifest: string[] } }>('GET /teams/shop', { as })).body
        .data;
    expect(await read()).toMatchObject({ debug: false, by_manifest: [] });
    expect((await gateway.ask('PUT /teams/shop', { as, body: { debug: true } })).status).toBe(200);
    await stores.teams.saveTeam({ name: 'shop', namespace: 'shop' });
    expect(await read()).toMatchObject({ debug: true, by_manifest: [] });
    await stores.teams.saveTeam({ name: 'shop', namespace: 'shop', debug: false });
    expect(await read()).toMatchObject({ debug: false, by_manifest: ['debug'] });
    expect((await gateway.ask('PUT /teams/shop', { as, body: { debug: true } })).status).toBe(409);
  });
});

import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Keys } from '#cli/terminal.ts';
import type { DebugReport, DebugSessionWork } from '#domain/build/agent-protocol.ts';
import type { DebugEnd } from '#domain/build/debug-session.ts';
import { exchangeDebug } from '#flows/builds/exchange-debug.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { AttemptRef } from '#flows/builds/ports.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { giveTurns, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* `millrace debug` at the public gateway, over a real Postgres. The test plays the agent and its shell. */
let stores: TestStores;
let gateway: Gateway;
let attempt: AttemptRef;
let stop: AbortController;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
afterAll(async () => {
  stop.abort();
  await gateway.close();
  await stores.close();
});
beforeEach(async () => {
  stop = new AbortController();
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', debug: true });
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [job('unit', task('test'))] })));
  await gateway.account('ann', { teams: { main: 'maintain' } });
  await gateway.ask('POST /teams/main/pipelines/app/jobs/unit/trigger', { as: await gateway.session('ann') });
  await giveTurns(stores);
  const [started] = await stores.builds.buildsToStart(10);
  if (started === undefined) throw new Error('no build to start');
  attempt = { build: started.id, attempt: started.attempt };
  await stores.builds.podCreated(attempt.build, attempt.attempt, 'pod', new Date());
  const at = new Date().toISOString();
  await followBuild(attempt, [{ type: 'step-started', step: '0', sequence: 1, at }], {
    builds: stores.builds,
    notifications: gateway.notifications,
  });
});

async function run(words: string[], more: { input?: string; keys?: Keys } = {}): Promise<CommandResult> {
  const environment = {
    XDG_CONFIG_HOME: tmpdir(),
    MILLRACE_URL: gateway.base,
    MILLRACE_TOKEN: await gateway.session('ann'),
  };
  return await millrace(['millrace', 'debug', ...words], { environment, ...more });
}

/**
 * Plays the program of a shell: gets all input so far, returns all output so far, and how the program ends.
 */
type Program = (
  input: string,
  work: DebugSessionWork,
  isAtEnd: boolean,
) => { prints?: string; end?: DebugEnd };

const exited = (exitCode: number): DebugEnd => ({
  reason: 'exited',
  message: 'The shell has ended.',
  exitCode,
});

/** A shell of the agent that the test plays. */
class ScriptedShell {
  #input = '';
  #isAtEnd = false;
  #printed = '';
  report: DebugReport;

  constructor(id: number) {
    this.report = { id, received: 0, output: [] };
  }

  take(work: DebugSessionWork, program: Program): void {
    const { received } = this.report;
    for (const message of work.input) if (message.sequence > received) this.#read(message);
    if (this.report.output.some(({ sequence }) => sequence > work.received)) return;
    const { prints = '', end } = program(this.#input, work, this.#isAtEnd);
    const data = Buffer.from(prints.slice(this.#printed.length)).toString('base64');
    this.#printed = prints;
    const output = data === '' ? [] : [{ sequence: work.received + 1, data }];
    this.report = { ...this.report, output, ...(end && data === '' && { end }) };
  }

  #read(message: DebugSessionWork['input'][number]): void {
    this.report.received = message.sequence;
    if ('data' in message) this.#input += Buffer.from(message.data, 'base64').toString();
    if ('columns' in message) this.#input += `<${message.columns}x${message.rows}>`;
    if ('end' in message) this.#isAtEnd = true;
  }
}

/** Runs the program in each shell until the test ends. */
async function serve(program: Program): Promise<void> {
  const { signal } = stop;
  const ports = { ...stores, notifications: gateway.notifications, now: () => new Date() };
  let shells = new Map<number, ScriptedShell>();
  while (!signal.aborted) {
    const reports = [...shells.values()].map(({ report }) => report);
    const { sessions } = await exchangeDebug(attempt, { sessions: reports }, ports);
    shells = new Map(sessions.map(({ id }) => [id, shells.get(id) ?? new ScriptedShell(id)]));
    for (const work of sessions) shells.get(work.id)?.take(work, program);
    await sleep(5);
  }
}

describe('millrace debug', () => {
  test('sends its standard input, prints the output, and has the exit code of the command', async () => {
    const serving = serve((input, { command, terminal }, isAtEnd) => ({
      prints: `${command.join(' ')} ${terminal === undefined ? 'without' : 'with'} terminal: ${input.toUpperCase()}\n`,
      ...(isAtEnd && { end: exited(42) }),
    }));
    const ran = await run(['app/unit', '--', 'tr', '-d', 'x'], { input: '' });
    stop.abort();
    await serving;
    expect(ran).toMatchObject({ exit: 42, out: 'tr -d x without terminal: \n', err: '' });
    expect(await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM debug_sessions`)).toBe(
      0,
    );
  });

  test('sends keys and sizes to the shell, and restores the terminal at the end', async () => {
    const terminalStates: string[] = [];
    let size = { columns: 80, rows: 24 };
    const keys: Keys = {
      size: () => size,
      take(listener) {
        terminalStates.push('taken');
        listener.keys(Buffer.from('ls\r'));
        size = { columns: 5000, rows: 50 };
        listener.resized();
        return () => void terminalStates.push('restored');
      },
    };
    const serving = serve((input, { terminal }) => ({
      prints: `${terminal?.columns} ${input}`,
      ...(input.includes('ls\r') && input.includes('<') && { end: exited(0) }),
    }));
    const ran = await run(['app/unit/1'], { keys });
    stop.abort();
    await serving;
    expect(ran.exit).toBe(0);
    expect(ran.out.startsWith('80 ')).toBe(true);
    expect(ran.err).toMatch(/^Shell in step \S+:\n$/);
    expect(terminalStates).toEqual(['taken', 'restored']);
  });

  test('lets a person leave a shell that does not answer', async () => {
    const keys: Keys = {
      size: () => ({ columns: 80, rows: 24 }),
      take(listener) {
        listener.keys(Buffer.from('~.'));
        return () => undefined;
      },
    };
    const ran = await run(['app/unit'], { keys });
    expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('you left the shell') });
  });

  const ends: Record<string, [end: DebugEnd, exit: number, err: string]> = {
    'that its step ended first': [
      { reason: 'step-ended', message: 'The step has ended, and the shell with it.' },
      2,
      'millrace: The step has ended, and the shell with it.\n',
    ],
    'that the image has no shell': [
      { reason: 'not-started', message: 'It did not start: neither bash nor sh.', exitCode: 127 },
      127,
      'millrace: It did not start: neither bash nor sh.\n',
    ],
  };
  test.each(Object.entries(ends))('says %s', async (_sentence, [end, exit, err]) => {
    const serving = serve(() => ({ end }));
    const ran = await run(['app/unit']);
    stop.abort();
    await serving;
    expect(ran).toMatchObject({ exit, out: '', err });
  });

  test('says what to do if the team does not allow it', async () => {
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', debug: false });
    const ran = await run(['app/unit']);
    expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('set spec.debug: true in the Team') });
  });
});

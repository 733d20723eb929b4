import { describe, expect, test } from '@jest/globals';
import {
  fileAppears,
  gateway,
  plan,
  sh,
  start,
  touch,
  useAgent,
  type Trouble,
} from '#testing/agent/agent-under-test.ts';
import { FakeShells } from '#testing/agent/fake-shells.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/* Shells of people in the steps of a real agent, with a real shim. */

const TERMINAL = { columns: 80, rows: 24 };
const WAITS = 'touch runs\nuntil [ -e go-on ]; do sleep 0.05; done';

/** A build whose step waits for the file `go-on`. */
async function startWaiting(more = '', trouble?: Trouble) {
  const work = plan([
    sh(`${WAITS}\n${more}`, { env: { COLOUR: 'green', SECRET: 'hunter-two' }, needsSecrets: true }),
  ]);
  const agent = await start(work, undefined, trouble);
  const shells = new FakeShells(gateway);
  await fileAppears('runs');
  await gateway.when(() => gateway.streams > 0);
  return { agent, shells };
}

/** Of every three exchanges for shells, refuses one request and loses the answer to another. */
const losesExchanges: Trouble = (path, count) => {
  if (!path.endsWith('/debug')) return undefined;
  if (count % 3 === 0) return 'answer-lost';
  return count % 3 === 1 ? 'refuse' : undefined;
};

describe('a shell in a running step', () => {
  test('has a terminal, the environment and the directory of the step, and does not change how the step ends', async () => {
    const { agent, shells } = await startWaiting('exit 3');
    shells.open(1, '0', { terminal: TERMINAL });
    shells.enter(1, 'PS1=; test -t 0 && echo "$COLOUR in $(stty size)"; ls; echo $TERM\n');
    await shells.when(() => shells.printed(1).includes('xterm-256color\r\n'));
    expect(shells.printed(1)).toContain('green in 24 80\r\n');
    expect(shells.printed(1)).toMatch(/^runs\r$/m);
    shells.give(1, { columns: 100, rows: 50 });
    shells.enter(1, 'stty size\n');
    await shells.when(() => shells.printed(1).includes('50 100'));
    shells.enter(1, 'exit 7\n');
    await shells.when(() => shells.ends.has(1));
    expect(shells.ends.get(1)).toEqual({ reason: 'exited', message: 'The shell has ended.', exitCode: 7 });
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('0')).toMatchObject({ status: 'failed', exitCode: 3 });
    const log = gateway.log('0');
    expect(log).toBe('[ann opens a shell in this step]\n[the shell of ann has ended]\n[exit code 3]\n');
  });

  test('shows no secret, also if it is printed in pieces', async () => {
    const { agent, shells } = await startWaiting();
    shells.open(1, '0', {
      command: ['sh', '-c', 'printf hunter; sleep 0.3; echo "-two"; echo "$SECRET"'],
    });
    await shells.when(() => shells.ends.has(1));
    expect(shells.printed(1)).toBe('***\n***\n');
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
  });

  test('ends with its step', async () => {
    const { agent, shells } = await startWaiting();
    shells.open(1, '0', {
      terminal: TERMINAL,
      command: ['sh', '-c', 'trap "" HUP TERM; echo here; sleep 1000'],
    });
    await shells.when(() => shells.printed(1).includes('here'));
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
    expect(shells.ends.get(1)?.reason).toBe('step-ended');
    expect(gateway.endOf('0')).toMatchObject({ status: 'succeeded' });
  });

  test('does not start if the step runs no command, or if its program does not exist', async () => {
    const { agent, shells } = await startWaiting();
    shells.open(1, '9');
    shells.open(2, '0', { command: ['no-such-program'] });
    await shells.when(() => shells.ends.size === 2);
    expect(shells.ends.get(1)).toEqual({
      reason: 'not-started',
      message: 'The step runs no command at the moment.',
    });
    expect(shells.ends.get(2)).toMatchObject({ reason: 'not-started', exitCode: 127 });
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
  });

  test('without a terminal reads its input to the end, and shows only what its command prints', async () => {
    const { agent, shells } = await startWaiting();
    shells.open(1, '0', { command: ['sh', '-c', 'tr a-z A-Z; echo >&2 err'] });
    shells.enter(1, 'hello ');
    shells.enter(1, 'world\n');
    shells.give(1, { end: true });
    await shells.when(() => shells.ends.has(1));
    // The standard output and the standard error arrive through two pipes, in either order.
    expect(shells.printed(1).split('\n').toSorted()).toEqual(['', 'HELLO WORLD', 'err']);
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
  });

  test('loses nothing and repeats nothing if requests or answers are lost', async () => {
    const { agent, shells } = await startWaiting('', losesExchanges);
    shells.open(1, '0', { command: ['cat'] });
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    for (const line of lines) shells.enter(1, line);
    shells.enter(1, 'x'.repeat(40_000));
    shells.give(1, { end: true });
    await shells.when(() => shells.ends.has(1));
    expect(shells.printed(1)).toBe(`${lines.join('')}${'x'.repeat(40_000)}`);
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
  });

  test('is killed when the person who opened it has left, and its step continues', async () => {
    const { agent, shells } = await startWaiting();
    shells.open(1, '0', {
      command: ['sh', '-c', 'trap "touch hung-up" HUP; echo here; sleep 1000 & wait; sleep 1000'],
    });
    await shells.when(() => shells.printed(1).includes('here'));
    shells.close(1);
    await fileAppears('hung-up');
    await touch('go-on');
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('0')).toMatchObject({ status: 'succeeded' });
  });
});

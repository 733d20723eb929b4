import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

const MODULE = new URL('run-until-signal.ts', import.meta.url).href;

/**
 * Runs a process whose entry point is `work`, and sends it the signals in order. The process prints `ready`
 * when `work` begins. Returns the lines after that one.
 */
async function run(work: string, signals: NodeJS.Signals[], limitMs = 300_000) {
  const script = `
    import { runUntilSignal } from ${JSON.stringify(MODULE)};
    const print = (fields, message) => console.log(message);
    const aborted = (stop) => new Promise((resolve) => stop.addEventListener('abort', () => resolve(stop.reason)));
    const keepAlive = setInterval(() => {}, 1000);
    const work = ${work};
    await runUntilSignal(
      (stop) => { console.log('ready'); return work(stop, aborted); },
      { info: print, warn: print, fatal: print }, ${limitMs});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const remaining = [...signals];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    // The first signal waits for `ready`, the second for `stopping`.
    const signalsDue = output.split('\n').filter((line) => line === 'ready' || line === 'stopping').length;
    while (signals.length - remaining.length < signalsDue && remaining.length > 0)
      child.kill(remaining.shift());
  });
  const timeout = setTimeout(() => child.kill('SIGKILL'), 300_000);
  const [code]: unknown[] = await once(child, 'close');
  clearTimeout(timeout);
  return { code, output: output.trim().split('\n').slice(1) };
}

/** Prints the signal and then stops by itself. */
const STOPS_IN_TIME = `async (stop, aborted) => { console.log(await aborted(stop)); return 'stopped'; }`;

test.each<[string, string, NodeJS.Signals[], { code: number; output: string[] }]>([
  [
    'an entry point that gets SIGTERM can stop by itself',
    STOPS_IN_TIME,
    ['SIGTERM'],
    { code: 0, output: ['stopping', 'SIGTERM', 'stopped'] },
  ],
  [
    'an entry point that gets SIGINT can stop by itself',
    STOPS_IN_TIME,
    ['SIGINT'],
    { code: 0, output: ['stopping', 'SIGINT', 'stopped'] },
  ],
  [
    'an entry point that returns without a signal exits with 1, so that the kubelet restarts it',
    `async () => 'lead-lost'`,
    [],
    { code: 1, output: ['stopped'] },
  ],
  [
    'a second signal ends a process that does not stop',
    `() => new Promise(() => {})`,
    ['SIGTERM', 'SIGTERM'],
    { code: 1, output: ['stopping', 'stopped at once'] },
  ],
  [
    'an entry point that cannot start prints the error',
    `async () => { throw new Error('x'); }`,
    [],
    { code: 1, output: ['uncaught error'] },
  ],
  [
    'an uncaught error ends the process',
    `async () => { setTimeout(() => { throw new Error('x'); }); await new Promise(() => {}); }`,
    [],
    { code: 1, output: ['uncaught error'] },
  ],
])('%s', async (_name, work, signals, expected) => expect(await run(work, signals)).toEqual(expected));

test('a process that does not stop within the time limit is ended', async () => {
  expect(await run(`() => new Promise(() => {})`, ['SIGTERM'], 50)).toEqual({
    code: 1,
    output: ['stopping', 'stopped before everything had ended'],
  });
});

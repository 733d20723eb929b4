import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

const MODULE = new URL('run-until-signal.ts', import.meta.url).href;

/** A process whose door is `work`; it says `ready` when that has begun. */
async function run(work: string, signals: NodeJS.Signals[], limitMs = 300_000) {
  const script = `
    import { runUntilSignal } from ${JSON.stringify(MODULE)};
    const say = (fields, message) => console.log(message);
    const aborted = (stop) => new Promise((resolve) => stop.addEventListener('abort', () => resolve(stop.reason)));
    const alive = setInterval(() => {}, 1000);
    const work = ${work};
    await runUntilSignal(
      (stop) => { console.log('ready'); return work(stop, aborted); },
      { info: say, warn: say, fatal: say }, ${limitMs});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  const left = [...signals];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    // Each signal waits for what the one before it brought about.
    const due = said.split('\n').filter((line) => line === 'ready' || line === 'stopping').length;
    while (signals.length - left.length < due && left.length > 0) child.kill(left.shift());
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 300_000);
  const [code]: unknown[] = await once(child, 'close');
  clearTimeout(tooLong);
  return { code, said: said.trim().split('\n').slice(1) };
}

const IN_ORDER = `async (stop, aborted) => { console.log(await aborted(stop)); return 'told-to'; }`;

test.each<[string, string, NodeJS.Signals[], { code: number; said: string[] }]>([
  [
    'a door that is told to stop ends in order',
    IN_ORDER,
    ['SIGTERM'],
    { code: 0, said: ['stopping', 'SIGTERM', 'stopped'] },
  ],
  ['SIGINT is heard too', IN_ORDER, ['SIGINT'], { code: 0, said: ['stopping', 'SIGINT', 'stopped'] }],
  [
    'a door that ends for a reason of its own is to be started anew',
    `async () => 'lead-lost'`,
    [],
    { code: 1, said: ['stopped'] },
  ],
  [
    'a second signal ends what does not end',
    `() => new Promise(() => {})`,
    ['SIGTERM', 'SIGTERM'],
    { code: 1, said: ['stopping', 'stopped at once'] },
  ],
  [
    'a door that cannot begin says why',
    `async () => { throw new Error('x'); }`,
    [],
    { code: 1, said: ['an error that nobody caught'] },
  ],
  [
    'an error that nobody caught ends the process',
    `async () => { setTimeout(() => { throw new Error('x'); }); await new Promise(() => {}); }`,
    [],
    { code: 1, said: ['an error that nobody caught'] },
  ],
])('%s', async (_name, work, signals, printed) => expect(await run(work, signals)).toEqual(printed));

test('what does not end in time is cut off', async () => {
  expect(await run(`() => new Promise(() => {})`, ['SIGTERM'], 50)).toEqual({
    code: 1,
    said: ['stopping', 'stopped before everything had ended'],
  });
});

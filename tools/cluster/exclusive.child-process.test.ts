import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { exclusively } from './exclusive.ts';

const name = `test ${process.pid}`;
const failing = async (): Promise<void> => {
  throw new Error('failed');
};

beforeEach(() => {
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('two tasks under one name do not overlap', async () => {
  const seen: string[] = [];
  const work = (label: string) => async (): Promise<void> => {
    seen.push(`${label} begins`);
    await sleep(20);
    seen.push(`${label} ends`);
  };
  await Promise.all([exclusively(name, 'waiting', work('a')), exclusively(name, 'waiting', work('b'))]);
  expect(console.log).toHaveBeenCalledWith('waiting');
  expect([seen[0]?.slice(2), seen[1]?.slice(2), seen[2]?.slice(2)]).toEqual(['begins', 'ends', 'begins']);
});

test('the lock is released when its holder throws', async () => {
  await expect(exclusively(name, 'waiting', failing)).rejects.toThrow('failed');
  expect(await exclusively(name, 'waiting', async () => 'held')).toBe('held');
});

test('the lock is released when its holder is killed', async () => {
  const script = `import { exclusively } from ${JSON.stringify(join(import.meta.dirname, 'exclusive.ts'))};
    await exclusively(${JSON.stringify(name)}, '', () => {
      console.log('held');
      return new Promise(() => setInterval(() => {}, 1000));
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  let entered = false;
  const waiting = exclusively(name, 'waiting', async () => {
    entered = true;
  });
  await sleep(50);
  expect(entered).toBe(false);
  holder.kill('SIGKILL');
  await waiting;
  expect(entered).toBe(true);
});

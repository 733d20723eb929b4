import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Passwords } from '#flows/people/ports.ts';
import { argon2Passwords } from './argon2.ts';
import { limitConcurrency } from './password-turns.ts';

let passwords: Passwords;
beforeAll(async () => {
  passwords = await argon2Passwords();
});

describe('an argon2id hash', () => {
  test('has the configured cost and a new salt each time', async () => {
    const [firstHash, secondHash] = await Promise.all([
      passwords.hash('correct horse'),
      passwords.hash('correct horse'),
    ]);
    expect(firstHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(firstHash).not.toBe(secondHash);
  });

  test('matches only its password', async () => {
    const hash = await passwords.hash('correct horse');
    expect(await passwords.verify(hash, 'correct horse')).toBe(true);
    expect(await passwords.verify(hash, 'correct horsf')).toBe(false);
    expect(await passwords.verify(undefined, 'correct horse')).toBe(false);
  });

  test('depends on every byte of the password, far after the 72nd', async () => {
    const longPassword = 'x'.repeat(200);
    expect(await passwords.verify(await passwords.hash(`${longPassword}1`), `${longPassword}2`)).toBe(false);
  });
});

describe('the queue of hash computations', () => {
  test('runs at most the configured number of tasks at once, and each of them in the end', async () => {
    const runInTurn = limitConcurrency(2, 10);
    let running = 0;
    let mostRunning = 0;
    const done = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, index) =>
          await runInTurn(async () => {
            running += 1;
            mostRunning = Math.max(mostRunning, running);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return index;
          }),
      ),
    );
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(mostRunning).toBe(2);
  });

  test('refuses tasks beyond its capacity, and continues after a task that failed', async () => {
    const runInTurn = limitConcurrency(1, 1);
    const open = Promise.withResolvers<undefined>();
    const first = runInTurn(async () => await open.promise);
    const second = runInTurn(async () => 'second');
    await expect(runInTurn(async () => 'third')).rejects.toThrow('Too many passwords');
    open.reject(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    expect(await second).toBe('second');
    expect(await runInTurn(async () => 'fourth')).toBe('fourth');
  });
});

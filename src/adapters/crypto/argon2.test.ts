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
    const [one, other] = await Promise.all([
      passwords.hash('correct horse'),
      passwords.hash('correct horse'),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  test('matches only its password', async () => {
    const hash = await passwords.hash('correct horse');
    expect(await passwords.verify(hash, 'correct horse')).toBe(true);
    expect(await passwords.verify(hash, 'correct horsf')).toBe(false);
    expect(await passwords.verify(undefined, 'correct horse')).toBe(false);
  });

  test('depends on every byte of the password, far after the 72nd', async () => {
    const long = 'x'.repeat(200);
    expect(await passwords.verify(await passwords.hash(`${long}1`), `${long}2`)).toBe(false);
  });
});

describe('the queue of hash computations', () => {
  test('runs at most the configured number at once, and all in the end', async () => {
    const inTurn = limitConcurrency(2, 10);
    let now = 0;
    let most = 0;
    const done = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, index) =>
          await inTurn(async () => {
            now += 1;
            most = Math.max(most, now);
            await new Promise((resolve) => setImmediate(resolve));
            now -= 1;
            return index;
          }),
      ),
    );
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(2);
  });

  test('refuses more than it holds, and continues after a task that failed', async () => {
    const inTurn = limitConcurrency(1, 1);
    const open = Promise.withResolvers<undefined>();
    const first = inTurn(async () => await open.promise);
    const second = inTurn(async () => 'second');
    await expect(inTurn(async () => 'third')).rejects.toThrow('Too many passwords');
    open.reject(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    expect(await second).toBe('second');
    expect(await inTurn(async () => 'fourth')).toBe('fourth');
  });
});

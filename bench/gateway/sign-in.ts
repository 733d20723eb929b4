import { argon2Passwords } from '#adapters/crypto/argon2.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { summarise } from '#bench/statistics.ts';
import type { MeasuredGateway } from './gateway.ts';
import { digits, type Part, type PartEnvironment } from './part.ts';

const ROUNDS = 30;
const ACCOUNTS = 10;

/** Response times to a wrong password, for an existing and for a missing account. They should not differ. */
export const wrongPasswords: Part = {
  name: 'sign-in',
  async measure(environment) {
    await createAccounts(environment);
    const gateway = await environment.startGateway();
    await attempt(gateway, 'person-0');
    const [known, unknown]: number[][] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      // Failed sign-ins slow down later ones, so each round deletes their records.
      await environment.pool.query(rows()`DELETE FROM sign_in_failures`);
      const order = round % 2 === 0 ? [true, false] : [false, true];
      for (const isKnown of order) {
        const name = `${isKnown ? 'person' : 'nobody'}-${round % ACCOUNTS}`;
        (isKnown ? known : unknown)?.push(await attempt(gateway, name));
      }
    }
    await gateway.stop();
    return [
      [`wrong password of a known user, ${ROUNDS} times`, figure(known), ''],
      ['… of an unknown one', figure(unknown), 'the same'],
    ];
  },
};

async function createAccounts({ pool }: PartEnvironment): Promise<void> {
  const password = await (await argon2Passwords()).hash('a password that is right');
  for (let index = 0; index < ACCOUNTS; index++) {
    await pool.query(
      rows()`INSERT INTO users (username, password_hash) VALUES (${`person-${index}`}, ${password})`,
    );
  }
}

async function attempt({ base }: MeasuredGateway, username: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: 'a password that is wrong' }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`signing in as ${username}: ${answer.status}`);
  return performance.now() - startedAt;
}

function figure(samples: number[] | undefined): string {
  const { median, p90 } = summarise(samples ?? []);
  return `${digits(median)} ms, p90 ${digits(p90)} ms`;
}

import type { DatabasePool } from 'slonik';
import { rows, texts, time } from '#adapters/database/pool.ts';
import type { ThrottleKind } from '#domain/access/throttle.ts';
import type { ThrottleStore } from '#flows/access-ports.ts';

const KEPT_MS = 60 * 60_000;

interface Key {
  kind: ThrottleKind;
  name: string;
}

const keyOf = ({ kind, name }: Key): string => `${kind}:${name}`;

/** In the database, so that every replica counts the same. */
export function throttleStore({ pool }: { pool: DatabasePool }): ThrottleStore {
  return {
    async takeAttempt(keys, at, decide) {
      return await pool.transaction(async (connection) => {
        const names = keys.map(keyOf).toSorted();
        // Rows are made first, so that of two attempts at a new name one waits for the other; in one order, so that none waits in a ring.
        await connection.query(rows()`
          INSERT INTO sign_in_failures (key, count, last_at) SELECT k, 0, ${time(at)} FROM unnest(${texts(names)}) AS k
          ORDER BY k ON CONFLICT DO NOTHING`);
        const known = await connection.any(rows<{ key: string; count: number; lastAt: Date }>()`
          SELECT key, count, last_at AS "lastAt" FROM sign_in_failures WHERE key = ANY(${texts(names)})
          ORDER BY key FOR UPDATE`);
        const attempts = keys.map((key) => {
          const row = known.find((one) => one.key === keyOf(key));
          const failures =
            row === undefined || row.count === 0
              ? undefined
              : { count: row.count, lastAt: row.lastAt.getTime() };
          return { key, attempt: decide(key.kind, failures, at.getTime()) };
        });
        const waits = attempts.map(({ attempt }) => (attempt.answer === 'wait' ? attempt.milliseconds : 0));
        if (Math.max(...waits) > 0) return Math.max(...waits);
        for (const { key, attempt } of attempts) {
          if (attempt.answer === 'wait') continue;
          await connection.query(rows()`
            UPDATE sign_in_failures SET count = ${attempt.failures.count}, last_at = ${time(at)} WHERE key = ${keyOf(key)}`);
        }
        await connection.query(rows()`
          DELETE FROM sign_in_failures WHERE key IN (
            SELECT key FROM sign_in_failures WHERE last_at < ${time(new Date(at.getTime() - KEPT_MS))}
            ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED)`);
        return 0;
      });
    },
    async forgive(keys) {
      const accounts = keys.filter(({ kind }) => kind === 'account').map(keyOf);
      const addresses = keys.filter(({ kind }) => kind === 'address').map(keyOf);
      await pool.query(rows()`
        WITH forgotten AS (DELETE FROM sign_in_failures WHERE key = ANY(${texts(accounts)}))
        UPDATE sign_in_failures SET count = greatest(count - 1, 0) WHERE key = ANY(${texts(addresses)})`);
    },
  };
}

import type { DatabasePool } from 'slonik';
import { rows, textArray, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { AttemptKey } from '#domain/access/throttle.ts';
import type { ThrottleStore, ThrottleTransaction } from '#flows/people/throttle-ports.ts';

/** Each recorded attempt deletes some counts whose last failure is older than this. */
const MAX_AGE_MS = 60 * 60_000;

const keyOf = ({ kind, name }: AttemptKey): string => `${kind}:${name}`;

/** Counts failed sign-ins in the database, so that all replicas share the counts. */
export function throttleStore({ pool }: { pool: DatabasePool }): ThrottleStore {
  return {
    withFailures: async (keys, at, work) =>
      await pool.transaction(
        async (connection) => await work(throttleTransaction(connection, keys.map(keyOf), at)),
      ),
    async forgive(keys) {
      const accounts = keys.filter(({ kind }) => kind === 'account').map(keyOf);
      const addresses = keys.filter(({ kind }) => kind === 'address').map(keyOf);
      await pool.transaction(async (connection) => {
        // In the order of `failures`, so that two sign-ins cannot deadlock.
        await connection.query(rows()`
          SELECT 1 FROM sign_in_failures WHERE key = ANY(${textArray(keys.map(keyOf))}) ORDER BY key FOR UPDATE`);
        await connection.query(rows()`DELETE FROM sign_in_failures WHERE key = ANY(${textArray(accounts)})`);
        await connection.query(rows()`
          UPDATE sign_in_failures SET count = greatest(count - 1, 0) WHERE key = ANY(${textArray(addresses)})`);
      });
    },
  };
}

function throttleTransaction(connection: Transaction, keys: string[], at: Date): ThrottleTransaction {
  return {
    async failures() {
      const sortedKeys = keys.toSorted();
      // Inserts the missing rows first: if two concurrent attempts have the same new key, the second waits
      // for the first. Inserts them in order, so that the two cannot deadlock.
      await connection.query(rows()`
        INSERT INTO sign_in_failures (key, count, last_at) SELECT k, 0, ${timestamp(at)}
          FROM unnest(${textArray(sortedKeys)}) AS k
        ORDER BY k ON CONFLICT DO NOTHING`);
      const stored = await connection.any(rows<{ key: string; count: number; lastAt: Date }>()`
        SELECT key, count, last_at AS "lastAt" FROM sign_in_failures WHERE key = ANY(${textArray(sortedKeys)})
        ORDER BY key FOR UPDATE`);
      return keys.map((key) => {
        const row = stored.find((candidate) => candidate.key === key);
        return row === undefined || row.count === 0
          ? undefined
          : { count: row.count, lastAt: row.lastAt.getTime() };
      });
    },
    async record(failures) {
      for (const [index, key] of keys.entries())
        await connection.query(rows()`
          UPDATE sign_in_failures SET count = ${failures[index]?.count ?? 0}, last_at = ${timestamp(at)}
            WHERE key = ${key}`);
      await connection.query(rows()`
        DELETE FROM sign_in_failures WHERE key IN (
          SELECT key FROM sign_in_failures WHERE last_at < ${timestamp(new Date(at.getTime() - MAX_AGE_MS))}
          ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED)`);
    },
  };
}

import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows, timestamp } from '#adapters/database/connection/pool.ts';
import { defined } from '#defined';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { FailedLookUp, KnownImage } from '#domain/planning/image-look-up.ts';
import type { ImageKey, ImageStore } from '#flows/builds/image-ports.ts';

const MAX_AGE_MS = 30 * 24 * 60 * 60_000;
/** The most rows that one write removes from each table. */
const MAX_REMOVED = 100;

interface KnownRow {
  digest: string | null;
  checkedAt: Date | null;
  configuration: ImageConfiguration | null;
  failure: string | null;
  transient: boolean;
  failures: number;
  retryAt: Date | null;
}

/** Caches configurations of images. Each write first removes some rows that are older than 30 days. */
export function imageStore({ pool }: { pool: DatabasePool }): ImageStore {
  return {
    async known({ namespace, image, architecture }) {
      const row = await pool.maybeOne(prepared<KnownRow>('known_image')`
        SELECT l.digest, l.checked_at AS "checkedAt", c.configuration, l.failure, l.transient, l.failures,
          l.retry_at AS "retryAt"
        FROM image_look_ups l LEFT JOIN image_configurations c USING (digest, architecture)
        WHERE l.namespace = ${namespace} AND l.image = ${image} AND l.architecture = ${architecture}`);
      return row === null ? {} : { ...withoutNulls({ found: foundIn(row), failure: failureIn(row) }) };
    },
    async configuration({ namespace, architecture }, digest) {
      const found = await pool.maybeOneFirst(rows<{ configuration: ImageConfiguration }>()`
        SELECT configuration FROM image_configurations
        WHERE digest = ${digest} AND architecture = ${architecture} AND EXISTS (
          SELECT FROM image_look_ups l
          WHERE l.namespace = ${namespace} AND l.digest = ${digest} AND l.architecture = ${architecture})`);
      return found ?? undefined;
    },
    recordFound: async (key, found) => await recordFound(pool, key, found),
    recordFailure: async (key, failure, at) => await recordFailure(pool, key, { ...failure, at }),
  };
}

function foundIn({ digest, checkedAt, configuration }: KnownRow): KnownImage['found'] | null {
  if (digest === null || checkedAt === null || configuration === null) return null;
  return { digest, checkedAt, configuration };
}

function failureIn({ failure, transient, failures, retryAt }: KnownRow): FailedLookUp | null {
  return failure === null || retryAt === null ? null : { failure, transient, count: failures, retryAt };
}

async function recordFound(
  pool: DatabasePool,
  { namespace, image, architecture }: ImageKey,
  { digest, configuration, checkedAt }: NonNullable<KnownImage['found']>,
): Promise<void> {
  await removeOld(pool, checkedAt);
  const { entrypoint, cmd, workingDir } = configuration;
  const stored = { entrypoint, cmd, ...defined({ workingDir }) };
  await pool.query(rows()`
    WITH configuration AS (
      INSERT INTO image_configurations (digest, architecture, configuration, stored_at)
      VALUES (${digest}, ${architecture}, ${sql.jsonb(stored)}, ${timestamp(checkedAt)})
      ON CONFLICT DO NOTHING)
    INSERT INTO image_look_ups (namespace, image, architecture, digest, checked_at, updated_at)
    VALUES (${namespace}, ${image}, ${architecture}, ${digest}, ${timestamp(checkedAt)}, ${timestamp(checkedAt)})
    ON CONFLICT (namespace, image, architecture) DO UPDATE
      SET digest = excluded.digest, checked_at = excluded.checked_at, updated_at = excluded.updated_at,
        failure = NULL, transient = false, failures = 0, retry_at = NULL`);
}

async function recordFailure(
  pool: DatabasePool,
  { namespace, image, architecture }: ImageKey,
  { failure, transient, count, retryAt, at }: FailedLookUp & { at: Date },
): Promise<void> {
  await removeOld(pool, at);
  await pool.query(rows()`
    INSERT INTO image_look_ups (namespace, image, architecture, failure, transient, failures, retry_at, updated_at)
    VALUES (${namespace}, ${image}, ${architecture}, ${failure}, ${transient}, ${count}, ${timestamp(retryAt)},
      ${timestamp(at)})
    ON CONFLICT (namespace, image, architecture) DO UPDATE
      SET failure = excluded.failure, transient = excluded.transient, failures = excluded.failures,
        retry_at = excluded.retry_at, updated_at = excluded.updated_at`);
}

/** Removes rows that are older than 30 days at `at`. An image that is still used is looked up again. */
async function removeOld(pool: DatabasePool, at: Date): Promise<void> {
  const before = timestamp(new Date(at.getTime() - MAX_AGE_MS));
  await pool.query(rows()`
    WITH names AS (
      DELETE FROM image_look_ups WHERE (namespace, image, architecture) IN (
        SELECT namespace, image, architecture FROM image_look_ups WHERE updated_at < ${before}
        ORDER BY updated_at LIMIT ${MAX_REMOVED} FOR UPDATE SKIP LOCKED))
    DELETE FROM image_configurations WHERE (digest, architecture) IN (
      SELECT digest, architecture FROM image_configurations WHERE stored_at < ${before}
      ORDER BY stored_at LIMIT ${MAX_REMOVED} FOR UPDATE SKIP LOCKED)`);
}

import type { DatabasePool } from 'slonik';
import { parseNumber } from '#adapters/database/builds/build-number.ts';
import { decodeText, logMonth, type StoredText } from '#adapters/database/builds/log-chunks.ts';
import { prepared, rows } from '#adapters/database/connection/pool.ts';
import type { BuildRef } from '#flows/names.ts';
import type { LogPage } from '#flows/views/ports.ts';

/** Limit of the chunks in one page. */
const MAX_CHUNKS = 500;
/** Limit of the characters in one page. A longer chunk is a page of its own. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * More than the largest sequence number of an attempt. A cursor is the sequence number of a chunk plus this
 * span for each earlier attempt, so one number orders the chunks of all attempts.
 */
const ATTEMPT_SPAN = 1_000_000_000;

/** `available`: chunks after the cursor, counted up to `MAX_CHUNKS + 1`. */
type Row = StoredText & { attempt: number; sequence: number; step: string; at: Date; available: number };

export async function viewLogs(
  pool: DatabasePool,
  ref: BuildRef,
  after: number,
  maxCharacters = MAX_CHARACTERS,
): Promise<LogPage | undefined> {
  // Reads the build before its chunks: if the build has ended at this time, the next query finds all its
  // chunks.
  const build = await buildOf(pool, ref);
  if (build === undefined) return undefined;
  const from = { attempt: Math.floor(after / ATTEMPT_SPAN) + 1, sequence: after % ATTEMPT_SPAN };
  const limit = Math.min(maxCharacters, MAX_CHARACTERS);
  // The query limits the stored bytes, so that Postgres reads little. `chunksUpTo` limits the characters of
  // the decompressed texts.
  const found = await pool.any(prepared<Row>('view_logs')`
    SELECT attempt, sequence, step, at, encoding, content, available FROM (
      SELECT *, count(*) OVER () AS available,
        sum(octet_length(content)) OVER (ORDER BY attempt, sequence) - octet_length(content) AS before
      FROM (
        SELECT attempt, sequence, step, logged_at AS at, encoding, content FROM build_logs
        WHERE month = ${logMonth(build.createdAt)}::date AND build_id = ${build.id}
          AND (attempt, sequence) > (${from.attempt}, ${from.sequence})
        ORDER BY attempt, sequence LIMIT ${MAX_CHUNKS + 1}) AS page) AS sized
    WHERE before <= ${limit} ORDER BY attempt, sequence`);
  const chunks = chunksUpTo(found.slice(0, MAX_CHUNKS), limit);
  const hasMore = chunks.length < (found[0]?.available ?? 0);
  const retried = build.attempt === 1 ? [] : await retries(pool, build.id);
  const complete = build.ended && !hasMore;
  return { chunks, hasMore, complete, retried, ...(build.removed && { removed: true }) };
}

interface BuildWithLog {
  id: number;
  attempt: number;
  createdAt: Date;
  ended: boolean;
  removed: boolean;
}

/** Runs up to ten times a second while somebody follows the build. */
async function buildOf(
  pool: DatabasePool,
  { team, pipeline, job, number }: BuildRef,
): Promise<BuildWithLog | undefined> {
  const parsed = parseNumber(number);
  if (parsed === undefined) return undefined;
  const found = await pool.maybeOne(prepared<BuildWithLog>('view_log_build')`
    SELECT b.id, b.attempt, b.created_at AS "createdAt", b.ended_at IS NOT NULL AS ended,
      b.ended_at IS NOT NULL AND (SELECT sum(a.log_bytes) > 0 AND sum(a.stored_log_bytes) = 0
        FROM build_attempts a WHERE a.build_id = b.id) AS removed
    FROM builds b JOIN jobs j ON j.id = b.job_id JOIN pipelines p ON p.id = j.pipeline_id
      JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND j.name = ${job} AND p.deleted_at IS NULL
      AND b.number = ${parsed.number} AND b.retry = ${parsed.retry}`);
  return found ?? undefined;
}

/** Returns the attempts after which another one began, and why. */
async function retries(pool: DatabasePool, build: number): Promise<LogPage['retried']> {
  const found = await pool.any(rows<{ attempt: number; reason: string }>()`
    SELECT attempt, reason FROM build_attempts WHERE build_id = ${build} AND reason IS NOT NULL ORDER BY attempt`);
  return [...found];
}

/**
 * Returns the first chunks whose texts together have no more characters than the limit; at least one chunk.
 */
function chunksUpTo(found: Row[], limit: number): LogPage['chunks'] {
  let characters = 0;
  const chunks: LogPage['chunks'] = [];
  for (const { attempt, sequence, step, at, ...stored } of found) {
    const text = decodeText(stored);
    characters += text.length;
    if (chunks.length > 0 && characters > limit) break;
    chunks.push({ attempt, sequence: (attempt - 1) * ATTEMPT_SPAN + sequence, step, at, text });
  }
  return chunks;
}

import type { DatabasePool } from 'slonik';
import type { BuildRef } from '#flows/ports.ts';
import type { LogPage } from '#flows/views.ts';
import { logMonth, readText, type StoredText } from './log-chunks.ts';
import { parseNumber } from './names.ts';
import { prepared, rows } from './pool.ts';
import { jobId } from './view-builds.ts';

const MOST_CHUNKS = 500;
const MOST_CHARACTERS = 1024 * 1024;

/** Numbers of one attempt's events stay below this, so that chunks of all attempts have one order and one cursor. */
const ATTEMPT_SPAN = 1_000_000_000;

type Row = StoredText & { attempt: number; sequence: number; step: string; at: Date };

export async function viewLogs(
  pool: DatabasePool,
  ref: BuildRef,
  after: number,
  mostCharacters = MOST_CHARACTERS,
): Promise<LogPage | undefined> {
  const job = await jobId(pool, ref);
  const number = parseNumber(ref.number);
  if (job === undefined || number === undefined) return undefined;
  // Read first: what is complete now has all its chunks in the next query.
  const build = await pool.maybeOne(rows<{ id: number; attempt: number; createdAt: Date; ended: boolean }>()`
    SELECT id, attempt, created_at AS "createdAt", ended_at IS NOT NULL AS ended FROM builds
    WHERE job_id = ${job} AND number = ${number.number} AND retry = ${number.retry}`);
  if (build === null) return undefined;
  const from = { attempt: Math.floor(after / ATTEMPT_SPAN) + 1, sequence: after % ATTEMPT_SPAN };
  const found = await pool.any(prepared<Row>('view_logs')`
    SELECT attempt, sequence, step, logged_at AS at, encoding, content FROM build_logs
    WHERE month = ${logMonth(build.createdAt)}::date AND build_id = ${build.id}
      AND (attempt, sequence) > (${from.attempt}, ${from.sequence})
    ORDER BY attempt, sequence LIMIT ${MOST_CHUNKS + 1}`);
  const chunks = bounded(found.slice(0, MOST_CHUNKS), Math.min(mostCharacters, MOST_CHARACTERS));
  const hasMore = chunks.length < found.length;
  const retried = build.attempt === 1 ? [] : await retries(pool, build.id);
  return { chunks, hasMore, complete: build.ended && !hasMore, retried };
}

/** Attempts that another one followed, and why. */
async function retries(pool: DatabasePool, build: number): Promise<LogPage['retried']> {
  const found = await pool.any(rows<{ attempt: number; reason: string }>()`
    SELECT attempt, reason FROM build_attempts WHERE build_id = ${build} AND reason IS NOT NULL ORDER BY attempt`);
  return [...found];
}

function bounded(found: Row[], most: number): LogPage['chunks'] {
  let characters = 0;
  const chunks: LogPage['chunks'] = [];
  for (const { attempt, sequence, step, at, ...stored } of found) {
    const text = readText(stored);
    characters += text.length;
    if (chunks.length > 0 && characters > most) break;
    chunks.push({ attempt, sequence: (attempt - 1) * ATTEMPT_SPAN + sequence, step, at, text });
  }
  return chunks;
}

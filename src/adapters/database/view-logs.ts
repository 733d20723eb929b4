import type { DatabasePool } from 'slonik';
import type { BuildRef } from '#flows/ports.ts';
import type { LogPage } from '#flows/views.ts';
import { logMonth, readText, type StoredText } from './log-chunks.ts';
import { parseNumber } from './names.ts';
import { prepared, rows } from './pool.ts';
import { jobId } from './view-builds.ts';

const MOST_CHUNKS = 500;
const MOST_CHARACTERS = 1024 * 1024;

type Row = StoredText & { sequence: number; step: string; at: Date };

export async function viewLogs(
  pool: DatabasePool,
  ref: BuildRef,
  after: number,
): Promise<LogPage | undefined> {
  const job = await jobId(pool, ref);
  const number = parseNumber(ref.number);
  if (job === undefined || number === undefined) return undefined;
  // Read first: what is complete now has all its chunks in the next query.
  const build = await pool.maybeOne(rows<{ id: number; attempt: number; createdAt: Date; ended: boolean }>()`
    SELECT id, attempt, created_at AS "createdAt", ended_at IS NOT NULL AS ended FROM builds
    WHERE job_id = ${job} AND number = ${number.number} AND retry = ${number.retry}`);
  if (build === null) return undefined;
  const found = await pool.any(prepared<Row>('view_logs')`
    SELECT sequence, step, logged_at AS at, encoding, content FROM build_logs
    WHERE month = ${logMonth(build.createdAt)}::date AND build_id = ${build.id} AND attempt = ${build.attempt}
      AND sequence > ${after}
    ORDER BY sequence LIMIT ${MOST_CHUNKS + 1}`);
  const chunks = bounded(found.slice(0, MOST_CHUNKS));
  const hasMore = chunks.length < found.length;
  return { chunks, hasMore, complete: build.ended && !hasMore };
}

function bounded(found: Row[]): LogPage['chunks'] {
  let characters = 0;
  const chunks: LogPage['chunks'] = [];
  for (const { sequence, step, at, ...stored } of found) {
    const text = readText(stored);
    characters += text.length;
    if (chunks.length > 0 && characters > MOST_CHARACTERS) break;
    chunks.push({ sequence, step, at, text });
  }
  return chunks;
}

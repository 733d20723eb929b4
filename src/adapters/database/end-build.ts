import { settleBuild, settleSteps } from '#domain/build/settle-build.ts';
import type { AttemptOver, BuildEnd } from '#flows/ports.ts';
import { readState, upsertSteps, type StoredState } from './build-steps.ts';
import type { Definitions } from './definitions.ts';
import { holdEpoch } from './fence.ts';
import { rows, time, type Database, type Transaction } from './pool.ts';
import { lockForEnd, writeApplied } from './write-applied.ts';

interface Attempt {
  build: number;
  attempt: number;
}

export async function endBuild(
  database: Database & { definitions: Definitions },
  { end, ...of }: Attempt & { end: BuildEnd },
): Promise<'ended' | 'over'> {
  return await database.pool.transaction(async (connection) => {
    const stored = await openState(database, connection, of);
    if (stored === undefined) return 'over';
    const settled = settleBuild(stored.state, { ...end, at: end.at.toISOString() });
    await writeApplied(connection, { ...of, stored }, settled);
    return 'ended';
  });
}

/** After a Pod that came to no step there is a pause of 2, 4, 8 … seconds: a short trouble must not use up all attempts. */
export async function retryBuild(
  database: Database & { definitions: Definitions },
  { build, attempt, over }: Attempt & { over: AttemptOver },
): Promise<'retried' | 'over'> {
  const { reason, at, words } = over;
  return await database.pool.transaction(async (connection) => {
    const stored = await openState(database, connection, { build, attempt });
    if (stored === undefined) return 'over';
    const steps = settleSteps(stored.state, at.toISOString(), words);
    if (steps.some(({ status }) => status !== 'skipped')) {
      await connection.query(rows()`${upsertSteps({ build, attempt, steps })}`);
    }
    await connection.query(rows()`
      UPDATE builds SET attempt = attempt + 1, wants_pod = true, status = 'pending', started_at = NULL,
        pending_reason = ${reason}, start_after = CASE WHEN started_at IS NULL
          THEN now() + make_interval(secs => 2 ^ least(attempt, 6)) END
      WHERE id = ${build}`);
    await connection.query(rows()`
      WITH over AS (UPDATE build_attempts SET ended_at = ${time(at)}, reason = ${reason}
        WHERE build_id = ${build} AND attempt = ${attempt})
      INSERT INTO build_attempts (build_id, attempt, created_at) VALUES (${build}, ${attempt + 1}, ${time(at)})`);
    return 'retried';
  });
}

/** Holds the build; undefined when it has ended, another attempt took the place of this one, or it was given no Pod yet. */
async function openState(
  database: Database & { definitions: Definitions },
  connection: Transaction,
  { build, attempt }: Attempt,
): Promise<StoredState | undefined> {
  await holdEpoch(database, connection);
  await lockForEnd(connection, build);
  const stored = await readState(connection, { build, attempt, lock: true }, database.definitions);
  return stored?.current === true && stored.admitted && !stored.ended ? stored : undefined;
}

import type { BuildState, EventsApplied } from '#domain/build/build-state.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { readState } from './build-steps.ts';
import type { Definitions } from './definitions.ts';
import type { Database } from './pool.ts';
import { lockForEnd, writeApplied } from './write-applied.ts';

interface EventsToApply {
  build: number;
  attempt: number;
  events: BuildEvent[];
  apply: (state: BuildState, events: BuildEvent[]) => EventsApplied;
}

/** Four round trips for most batches: begin, read, write, commit; a put or the end of the build takes more. */
export async function applyEvents(
  database: Database & { definitions: Definitions },
  { build, attempt, events, apply }: EventsToApply,
): Promise<{ acknowledged: number; cancel: boolean; pipelineId: number } | 'over'> {
  return await database.pool.transaction(async (connection) => {
    if (events.some(mayDecide)) await lockForEnd(connection, build);
    const stored = await readState(connection, { build, attempt, lock: true }, database.definitions);
    if (stored === undefined || !stored.current) return 'over';
    // It waits for approval or for its turn: nobody gave it an agent.
    if (!stored.ended && !stored.admitted) return 'over';
    const answer = { cancel: stored.cancel, pipelineId: stored.pipeline };
    const fresh = events.filter((event) => event.sequence > stored.state.applied);
    if (stored.ended && fresh.length > 0) return 'over';
    if (fresh.length === 0) return { acknowledged: stored.state.applied, ...answer };
    const applied = apply(stored.state, fresh);
    await writeApplied(connection, { build, attempt, stored }, applied);
    return { acknowledged: applied.state.applied, ...answer };
  });
}

/** The end of the build, or of a put that made a version. */
function mayDecide(event: BuildEvent): boolean {
  return event.type === 'build-ended' || (event.type === 'step-ended' && event.version !== undefined);
}

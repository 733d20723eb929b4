import type { BuildState, EventsApplied } from '#domain/build/build-state.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { readState } from './build-steps.ts';
import type { Definitions } from './definitions.ts';
import type { Database } from './pool.ts';
import { writeApplied } from './write-applied.ts';

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
    const stored = await readState(connection, { build, attempt, lock: true }, database.definitions);
    if (stored === undefined || !stored.current) return 'over';
    const answer = { cancel: stored.cancel, pipelineId: stored.pipeline };
    const fresh = events.filter((event) => event.sequence > stored.state.applied);
    if (stored.ended && fresh.length > 0) return 'over';
    if (fresh.length === 0) return { acknowledged: stored.state.applied, ...answer };
    const applied = apply(stored.state, fresh);
    await writeApplied(connection, { build, attempt, stored }, applied);
    return { acknowledged: applied.state.applied, ...answer };
  });
}

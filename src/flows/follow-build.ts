import { applyEvents } from '#domain/build/apply-events.ts';
import { isOver } from '#domain/build/apply-events.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Bell, BuildStore } from './ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'applyEvents'>;
  bell: Pick<Bell, 'ring'>;
}

/** What an agent tells of its build: durable when this answers; then the others hear of it. */
export async function followBuild(
  { build, attempt }: { build: number; attempt: number },
  events: BuildEvent[],
  { builds, bell }: Ports,
): Promise<{ acknowledged: number; cancel: boolean } | 'over'> {
  let fresh = false;
  let changed = false;
  let decides = false;
  let puts = false;
  const answer = await builds.applyEvents(build, attempt, events, (state, more) => {
    const applied = applyEvents(state, more);
    fresh = true;
    changed = applied.state.status !== state.status;
    puts = applied.puts.length > 0;
    decides = isOver(applied.state.status) || puts;
    return applied;
  });
  if (answer === 'over') return answer;
  const { acknowledged, cancel, pipelineId } = answer;
  if (decides) bell.ring('schedule', pipelineId);
  // A trigger reaches other pipelines of the team: whoever hears this looks at all that want a decision.
  if (puts) bell.ring('schedule', 0);
  if (changed) bell.ring('status', pipelineId);
  if (fresh) bell.ring('progress', build);
  return { acknowledged, cancel };
}

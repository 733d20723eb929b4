import { applyEvents } from '#domain/build/apply-events.ts';
import { isOver } from '#domain/build/apply-events.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Notifications } from './notification-ports.ts';
import type { BuildStore } from './ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'applyEvents'>;
  notifications: Pick<Notifications, 'notify'>;
}

/** What an agent tells of its build: durable when this answers; then the others hear of it. */
export async function followBuild(
  { build, attempt }: { build: number; attempt: number },
  events: BuildEvent[],
  { builds, notifications }: Ports,
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
  if (decides) notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  // A trigger reaches other pipelines of the team: whoever hears this looks at all that want a decision.
  if (puts) notifications.notify({ topic: 'schedule', pipeline: 'all' });
  if (changed) notifications.notify({ topic: 'status', pipeline: pipelineId });
  if (fresh) notifications.notify({ topic: 'progress', build });
  return { acknowledged, cancel };
}

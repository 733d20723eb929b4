import type { BuildState } from '#domain/build/build-state.ts';
import type { BuildEvent } from '#domain/build/events.ts';

/** An event without its sequence number and time. */
type EventWithoutNumber = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence' | 'at'>
    : never
  : never;

/** The event that starts the first step; empty if the step has started. */
export function firstStep({ steps }: BuildState): EventWithoutNumber[] {
  const [first] = steps;
  return first?.status === 'waiting' ? [{ type: 'step-started', step: first.id }] : [];
}

/**
 * All remaining events of a build that succeeds. At most its first step may have started, and none may have
 * ended. `versions`: what its puts create, by label of the resource.
 */
export function allSteps({ steps }: BuildState, versions: Map<string, string>): EventWithoutNumber[] {
  const events = steps.flatMap(({ id: step, kind, status, resource }): EventWithoutNumber[] => {
    const versionText = kind === 'put' ? versions.get(resource?.split('.')[1] ?? '') : undefined;
    const version = versionText === undefined ? {} : { version: { v: versionText } };
    const started: EventWithoutNumber[] = status === 'waiting' ? [{ type: 'step-started', step }] : [];
    return [...started, { type: 'step-ended', step, status: 'succeeded', exitCode: 0, ...version }];
  });
  const end = { outcome: 'succeeded', reason: 'AllStepsSucceeded', message: 'Done.' } as const;
  return [...events, { type: 'build-ended', ...end }];
}

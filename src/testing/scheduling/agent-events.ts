import type { BuildState } from '#domain/build/build-state.ts';
import type { BuildEvent } from '#domain/build/events.ts';

/** An event without its sequence number. */
type EventWithoutNumber = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence' | 'at'>
    : never
  : never;

/** The first step starts. */
export function firstStep({ steps }: BuildState): EventWithoutNumber[] {
  const [first] = steps;
  return first?.status === 'waiting' ? [{ type: 'step-started', step: first.id }] : [];
}

/** All remaining events of a succeeding build. `versions`: those that its puts create. */
export function allSteps({ steps }: BuildState, versions: Map<string, string>): EventWithoutNumber[] {
  const events = steps.flatMap(({ id: step, kind, status, resource: of }): EventWithoutNumber[] => {
    const made = kind === 'put' ? versions.get(of?.split('.')[1] ?? '') : undefined;
    const version = made === undefined ? {} : { version: { v: made } };
    const started: EventWithoutNumber[] = status === 'waiting' ? [{ type: 'step-started', step }] : [];
    return [...started, { type: 'step-ended', step, status: 'succeeded', exitCode: 0, ...version }];
  });
  const end = { outcome: 'succeeded', reason: 'AllStepsSucceeded', message: 'Done.' } as const;
  return [...events, { type: 'build-ended', ...end }];
}

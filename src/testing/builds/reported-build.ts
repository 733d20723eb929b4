import type { BuildEvent } from '#domain/build/events.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import { giveTurns, type TestStores } from '#testing/stores/stores.ts';

/** An event that an agent reports, without its number. An event without a time happens now. */
export type ReportedEvent = BuildEvent extends infer E
  ? E extends BuildEvent
    ? Omit<E, 'sequence' | 'at'> & { at?: string }
    : never
  : never;

/**
 * Gives a Pod to the first build that can start. Returns a function that reports events of this build as its
 * agent would.
 */
export async function startReportedBuild({
  stores,
  notifications,
}: {
  stores: TestStores;
  notifications: Pick<Notifications, 'notify'>;
}): Promise<(...events: ReportedEvent[]) => Promise<void>> {
  await giveTurns(stores);
  const [started] = await stores.builds.buildsToStart(10);
  if (started === undefined) throw new Error('no build to start');
  await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
  let sequence = 0;
  return async (...events) => {
    const now = new Date().toISOString();
    const numbered = events.map((event, index) => ({ at: now, ...event, sequence: sequence + index + 1 }));
    sequence += events.length;
    const build = { build: started.id, attempt: started.attempt };
    await followBuild(build, numbered, { builds: stores.builds, notifications });
  };
}

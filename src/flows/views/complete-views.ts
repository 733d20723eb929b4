import { listedSteps } from '#domain/build/listed-steps.ts';
import { withSentNotifications, type SentNotifications } from '#domain/build/sent-notifications.ts';
import { stepsOf, type StoredSteps } from '#domain/build/stored-state.ts';
import type { BuildRef } from '#flows/names.ts';
import { MAX_CHANGES, type BuildChangesView, type BuildDetail, type Views } from './ports.ts';
import { showCheck, type CheckViewStore } from './show-check.ts';
import { showVersionPath, type VersionPathStore } from './show-version-path.ts';
import { showWaiting } from './show-waiting.ts';
import type { WaitingStore } from './waiting-ports.ts';

export type StoredBuildDetail = Omit<BuildDetail, 'steps'> & {
  steps: StoredSteps;
  sent: SentNotifications[];
};

export interface ViewStore
  extends
    Omit<Views, 'build' | 'changes' | 'waiting' | 'check' | 'versionPath'>,
    WaitingStore,
    CheckViewStore,
    VersionPathStore {
  build(ref: BuildRef): Promise<StoredBuildDetail | undefined>;
  /** At most `max` versions of each input. */
  changes(ref: BuildRef, max: number): Promise<BuildChangesView | undefined>;
}

/** Completes the views of the store with the fields that are computed from its rows. */
export function completeViews(store: ViewStore, now: () => Date): Views {
  return {
    ...store,
    build: async (ref) => {
      const stored = await store.build(ref);
      if (stored === undefined) return undefined;
      const { sent, ...build } = stored;
      return { ...build, steps: listedSteps(withSentNotifications(stepsOf(build.steps), sent)) };
    },
    changes: async (ref) => await store.changes(ref, MAX_CHANGES),
    waiting: async (jobs) => await showWaiting(jobs, store),
    check: async (name) => await showCheck(name, store, now()),
    versionPath: async (name, version) => await showVersionPath(name, version, store),
  };
}

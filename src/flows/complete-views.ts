import { stepsOf, type StoredSteps } from '#domain/build/stored-state.ts';
import type { BuildRef } from './ports.ts';
import { showWaiting } from './show-waiting.ts';
import type { BuildDetail, Views } from './views.ts';
import type { WaitingStore } from './waiting-ports.ts';

export type StoredBuildDetail = Omit<BuildDetail, 'steps'> & { steps: StoredSteps };

export interface ViewStore extends Omit<Views, 'build' | 'waiting'>, WaitingStore {
  build(ref: BuildRef): Promise<StoredBuildDetail | undefined>;
}

/** What people are shown: what is stored, and what follows from it. */
export function viewsOver(store: ViewStore): Views {
  return {
    ...store,
    build: async (ref) => {
      const stored = await store.build(ref);
      return stored && { ...stored, steps: stepsOf(stored.steps) };
    },
    waiting: async (name) => await showWaiting(name, store),
  };
}

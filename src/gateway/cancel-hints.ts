import type { Bell } from '#flows/ports.ts';

/** One listener for all open command streams, by build; after a lost connection all of them look. */
export function cancelHints(bell: Pick<Bell, 'listen'>): {
  on(build: number, heard: () => void): () => void;
  stop(): void;
} {
  const byBuild = new Map<number, Set<() => void>>();
  const stop = bell.listen(['cancel'], (_topic, build) => {
    const called = build === 0 ? [...byBuild.values()] : [byBuild.get(build)];
    for (const listeners of called) listeners?.forEach((heard) => heard());
  });
  return {
    on(build, heard) {
      const listeners = byBuild.get(build) ?? new Set();
      listeners.add(heard);
      byBuild.set(build, listeners);
      return () => {
        listeners.delete(heard);
        if (listeners.size === 0) byBuild.delete(build);
      };
    },
    stop,
  };
}

import type { Notifications } from '#flows/notification-ports.ts';

/** One listener for all open command streams, by build; after a lost connection all of them look. */
export function cancelHints(notifications: Pick<Notifications, 'listen'>): {
  on(build: number, heard: () => void): () => void;
  stop(): void;
} {
  const byBuild = new Map<number, Set<() => void>>();
  const stop = notifications.listen(['cancel'], (notification) => {
    const called =
      notification.topic === 'missed' ? [...byBuild.values()] : [byBuild.get(notification.build)];
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

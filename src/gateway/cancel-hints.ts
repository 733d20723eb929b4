import type { Notifications } from '#flows/notification-ports.ts';

/**
 * One database listener for all command streams. After a lost connection it calls the listeners of all
 * builds.
 */
export function cancelHints(notifications: Pick<Notifications, 'listen'>): {
  on(build: number, listener: () => void): () => void;
  stop(): void;
} {
  const byBuild = new Map<number, Set<() => void>>();
  const stop = notifications.listen(['cancel'], (notification) => {
    const called =
      notification.topic === 'missed' ? [...byBuild.values()] : [byBuild.get(notification.build)];
    for (const listeners of called) listeners?.forEach((listener) => listener());
  });
  return {
    on(build, listener) {
      const listeners = byBuild.get(build) ?? new Set();
      listeners.add(listener);
      byBuild.set(build, listeners);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) byBuild.delete(build);
      };
    },
    stop,
  };
}

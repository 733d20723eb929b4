import type { Notifications } from '#flows/notification-ports.ts';

/**
 * Calls the listener of a warm Pod when a build has taken the Pod. All warm Pods that wait at this replica
 * share one listener for notifications. After a lost connection, calls all listeners.
 */
export function warmHints(notifications: Pick<Notifications, 'listen'>): {
  on(warm: number, listener: () => void): () => void;
  stop(): void;
} {
  const byWarmPod = new Map<number, () => void>();
  const stop = notifications.listen(['warm'], (notification) => {
    if (notification.topic === 'missed') for (const listener of byWarmPod.values()) listener();
    else byWarmPod.get(notification.warm)?.();
  });
  return {
    on(warm, listener) {
      byWarmPod.set(warm, listener);
      return () => {
        if (byWarmPod.get(warm) === listener) byWarmPod.delete(warm);
      };
    },
    stop,
  };
}

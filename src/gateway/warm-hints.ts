import type { Notifications } from '#flows/notification-ports.ts';

/**
 * One database listener for all warm Pods that wait at this replica. After a lost connection it calls all
 * listeners.
 */
export function warmHints(notifications: Pick<Notifications, 'listen'>): {
  on(warm: number, listener: () => void): () => void;
  stop(): void;
} {
  const byWarm = new Map<number, () => void>();
  const stop = notifications.listen(['warm'], (notification) => {
    if (notification.topic === 'missed') for (const listener of byWarm.values()) listener();
    else byWarm.get(notification.warm)?.();
  });
  return {
    on(warm, listener) {
      byWarm.set(warm, listener);
      return () => {
        if (byWarm.get(warm) === listener) byWarm.delete(warm);
      };
    },
    stop,
  };
}

import type { BuildHints } from '#adapters/http/agent/agent-flows.ts';
import type { Notifications } from '#flows/notification-ports.ts';

export interface StoppableHints extends BuildHints {
  stop(): void;
}

/**
 * One database listener for all command streams. After a lost connection it calls the listeners of all
 * builds.
 */
export function cancelHints(notifications: Pick<Notifications, 'listen'>): StoppableHints {
  return buildHints(notifications, 'cancel', { afterMissed: true });
}

/**
 * The same for shells. After a lost connection it calls no one: a person's shell that waits for its agent
 * notifies the agent again.
 */
export function debugHints(notifications: Pick<Notifications, 'listen'>): StoppableHints {
  return buildHints(notifications, 'debug-input', { afterMissed: false });
}

function buildHints(
  notifications: Pick<Notifications, 'listen'>,
  topic: 'cancel' | 'debug-input',
  { afterMissed }: { afterMissed: boolean },
): StoppableHints {
  const byBuild = new Map<number, Set<() => void>>();
  const stop = notifications.listen([topic], (notification) => {
    const missed = afterMissed ? [...byBuild.values()] : [];
    const called = notification.topic === 'missed' ? missed : [byBuild.get(notification.build)];
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

import type { BuildHints } from '#adapters/http/agent/agent-flows.ts';
import type { Notifications } from '#flows/notification-ports.ts';

export interface StoppableHints extends BuildHints {
  stop(): void;
}

/**
 * Calls the listeners of a build when the build is cancelled. All command streams share one listener for
 * notifications. After a lost connection, calls the listeners of all builds.
 */
export function cancelHints(notifications: Pick<Notifications, 'listen'>): StoppableHints {
  return buildHints(notifications, 'cancel', { callsAllAfterMissed: true });
}

/**
 * Calls the listeners of a build when one of its shells may have something for the agent, such as input.
 * After a lost connection, calls no listener, because the gateway repeats the notification while a person
 * waits for a shell to open.
 */
export function debugHints(notifications: Pick<Notifications, 'listen'>): StoppableHints {
  return buildHints(notifications, 'debug-input', { callsAllAfterMissed: false });
}

function callListeners(listeners?: Set<() => void>): void {
  listeners?.forEach((listener) => listener());
}

function buildHints(
  notifications: Pick<Notifications, 'listen'>,
  topic: 'cancel' | 'debug-input',
  { callsAllAfterMissed }: { callsAllAfterMissed: boolean },
): StoppableHints {
  const byBuild = new Map<number, Set<() => void>>();
  const stop = notifications.listen([topic], (notification) => {
    if (notification.topic !== 'missed') callListeners(byBuild.get(notification.build));
    else if (callsAllAfterMissed) for (const listeners of byBuild.values()) callListeners(listeners);
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

import type { ProcessNotification } from '#flows/notification-ports.ts';

/**
 * The channel of LISTEN and NOTIFY. It must never change, because two releases share it during an upgrade.
 */
export const CHANNEL = 'millrace';

/**
 * Returns `<topic>:<row id>`. The id is 0 for all pipelines, and for topics without an id. The meaning of a
 * payload must never change, because two releases exchange payloads during an upgrade.
 */
export function encodeNotification(notification: ProcessNotification): string {
  return `${notification.topic}:${idOf(notification)}`;
}

function idOf(notification: ProcessNotification): number {
  if ('build' in notification) return notification.build;
  if ('warm' in notification) return notification.warm;
  if ('team' in notification) return notification.team;
  if ('pipeline' in notification) return notification.pipeline === 'all' ? 0 : notification.pipeline;
  return 0;
}

/** Returns undefined for an invalid id, and for a topic that only a later release knows. */
export function decodeNotification(payload: string): ProcessNotification | undefined {
  const [topic = '', digits = ''] = payload.split(':');
  if (topic === 'checks' || topic === 'builds') return { topic };
  const id = Number(digits);
  if (topic === 'schedule' && id === 0) return { topic, pipeline: 'all' };
  return Number.isSafeInteger(id) && id > 0 ? notificationWithId(topic, id) : undefined;
}

function notificationWithId(topic: string, id: number): ProcessNotification | undefined {
  switch (topic) {
    case 'schedule':
    case 'status':
      return { topic, pipeline: id };
    case 'cancel':
    case 'progress':
    case 'debug-input':
    case 'debug-output':
      return { topic, build: id };
    case 'warm':
      return { topic, warm: id };
    case 'teams':
      return { topic, team: id };
    default:
      return undefined;
  }
}

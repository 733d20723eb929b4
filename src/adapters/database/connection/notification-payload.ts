import type { Notification } from '#flows/notification-ports.ts';

/** Of LISTEN and NOTIFY, the same in every release. */
export const CHANNEL = 'millrace';

/**
 * What Postgres carries: the topic and a row id, 0 where there is none. During an upgrade two releases notify
 * each other, so a payload never changes its meaning.
 */
export function encodeNotification(notification: Notification): string {
  return `${notification.topic}:${idOf(notification)}`;
}

function idOf(notification: Notification): number {
  if ('build' in notification) return notification.build;
  if ('team' in notification) return notification.team;
  if ('pipeline' in notification) return notification.pipeline === 'all' ? 0 : notification.pipeline;
  return 0;
}

/** Undefined for what only a later release understands. */
export function decodeNotification(payload: string): Notification | undefined {
  const [topic = '', digits = ''] = payload.split(':');
  if (topic === 'checks' || topic === 'builds') return { topic };
  const id = Number(digits);
  if (topic === 'schedule' && id === 0) return { topic, pipeline: 'all' };
  return Number.isSafeInteger(id) && id > 0 ? withId(topic, id) : undefined;
}

function withId(topic: string, id: number): Notification | undefined {
  switch (topic) {
    case 'schedule':
    case 'status':
      return { topic, pipeline: id };
    case 'cancel':
    case 'progress':
      return { topic, build: id };
    case 'teams':
      return { topic, team: id };
    default:
      return undefined;
  }
}

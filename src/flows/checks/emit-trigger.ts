import { triggerEvent } from '#domain/build/trigger-event.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { StreamName, TriggerStreams } from './trigger-stream-ports.ts';

export interface EmitPorts {
  streams: Pick<TriggerStreams, 'emit'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

type Emitted =
  | { answer: 'done'; version: Record<string, string>; pipelines: string[] }
  | { answer: 'refused'; message: string }
  /** No pipeline of the team declares the trigger. */
  | { answer: 'unknown' };

/**
 * Records an event that a person sends as a version of each resource of the stream. Returns the names of the
 * pipelines that have these resources.
 */
export async function emitTrigger(
  stream: StreamName,
  { fields, by }: { fields: unknown; by: string },
  { streams, notifications, now }: EmitPorts,
): Promise<Emitted> {
  const at = now();
  const event = triggerEvent(fields, { by, at });
  if (!event.ok) return { answer: 'refused', message: event.message };
  const pipelines = await streams.emit(stream, { version: event.version, at });
  if (pipelines === undefined) return { answer: 'unknown' };
  notifications.notify({ topic: 'schedule', pipeline: 'all' });
  return { answer: 'done', version: event.version, pipelines };
}

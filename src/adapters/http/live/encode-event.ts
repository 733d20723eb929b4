/** Encodes an event. JSON contains no line breaks, so `data` cannot start another field. */
export function encodeEvent(event: { name: string; id?: number | string; data: unknown }): Buffer {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return Buffer.from(`${id}event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
}

/** A comment that keeps proxies from closing a quiet stream. */
export const HEARTBEAT = Buffer.from(': still here\n\n');

/** Encodes how long the browser waits before it reconnects. */
export function encodeRetry(retryMilliseconds: number): Buffer {
  return Buffer.from(`retry: ${Math.round(retryMilliseconds)}\n\n`);
}

/** One event of a stream. JSON has no line ends of its own, so nothing in `data` can begin another field. */
export function encodeEvent(event: { name: string; id?: number | string; data: unknown }): Buffer {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return Buffer.from(`${id}event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
}

/** Keeps proxies from taking a quiet stream for a dead one. */
export const HEARTBEAT = Buffer.from(': still here\n\n');

/** First words of a stream: after how long to come back when it breaks. */
export function encodeGreeting(retryMilliseconds: number): Buffer {
  return Buffer.from(`retry: ${Math.round(retryMilliseconds)}\n\n`);
}

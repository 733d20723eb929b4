import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running gateway. */
export interface Service {
  /** Makes the readiness probe fail from now on. The gateway still answers requests. */
  drain(): void;
  close(): Promise<void>;
}

/**
 * How long Services may take to remove this Pod from their endpoints. Until then, the gateway still accepts
 * new connections.
 */
const DRAIN_MS = 3000;

/**
 * Serves until `stop` aborts. Then lets readiness fail, waits `DRAIN_MS`, answers pending requests, and
 * closes the connections, in this order. SIGINT skips the wait.
 */
export async function serve(start: () => Promise<Service>, stop: AbortSignal): Promise<'stopped'> {
  const service = await start();
  if (!stop.aborted) await once(stop, 'abort');
  service.drain();
  await sleep(stop.reason === 'SIGINT' ? 0 : DRAIN_MS);
  await service.close();
  return 'stopped';
}

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running gateway. */
export interface Service {
  /** Fails the readiness probe from now on. Requests are still answered. */
  drain(): void;
  close(): Promise<void>;
}

/** Time for Services to remove this Pod from their endpoints. New connections are served meanwhile. */
const DRAIN_MS = 3000;

/**
 * Serves until the signal. Then readiness fails, pending requests are answered, and connections are closed,
 * in this order.
 */
export async function serve(start: () => Promise<Service>, stop: AbortSignal): Promise<'stopped'> {
  const service = await start();
  if (!stop.aborted) await once(stop, 'abort');
  service.drain();
  await sleep(stop.reason === 'SIGINT' ? 0 : DRAIN_MS);
  await service.close();
  return 'stopped';
}

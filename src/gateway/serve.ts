import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A door that serves: how to stop taking new work, and how to end. */
export interface Service {
  /** Readiness fails from now on; what is asked is still answered. */
  drain(): void;
  close(): Promise<void>;
}

/** While Services learn that this Pod takes no more: new connections still come, and are served. */
const DRAIN_MS = 3000;

/**
 * Serves until told to stop, then in order: readiness fails, requests under way are answered, connections are
 * closed.
 */
export async function serve(start: () => Promise<Service>, stop: AbortSignal): Promise<'told-to'> {
  const service = await start();
  if (!stop.aborted) await once(stop, 'abort');
  service.drain();
  await sleep(stop.reason === 'SIGINT' ? 0 : DRAIN_MS);
  await service.close();
  return 'told-to';
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#adapters/http/log.ts';

/** A door that serves: how to stop taking new work, and how to end. */
export interface Service {
  /** Readiness fails from now on; what is asked is still answered. */
  drain(): void;
  close(): Promise<void>;
}

/** While Services learn that this Pod takes no more: new connections still come, and are served. */
const DRAIN_MS = 3000;
/** Below the Pod's grace period of 30 s: what has not ended by then is cut off. */
const CLOSE_MS = 20_000;

/**
 * Starts a service and ends it in order at the first SIGTERM or SIGINT: readiness fails, requests under way are answered, connections
 * are closed. A second signal ends the process at once, and so does an error that nobody caught.
 */
export async function runUntilSignal(start: () => Promise<Service>, log: Log): Promise<void> {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody caught');
    process.exit(1);
  });
  const signal = nextSignal();
  const service = await start();
  const first = await signal;
  log.info({ signal: first }, 'stopping');
  void nextSignal().then((second) => {
    log.warn({ signal: second }, 'stopped at once');
    process.exit(1);
  });
  service.drain();
  await sleep(first === 'SIGINT' ? 0 : DRAIN_MS);
  const late = sleep(CLOSE_MS, 'late' as const, { ref: false });
  if ((await Promise.race([service.close(), late])) === 'late') {
    log.warn('some requests did not end in time');
    process.exit(1);
  }
  log.info('stopped');
  process.exit(0);
}

function nextSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve);
  return promise;
}

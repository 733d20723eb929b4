interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** Below the Pod's grace period of 30 s: what has not ended by then is cut off. */
const STOP_MS = 25_000;

/**
 * The life of a door's process. `work` gets a signal that is aborted, with its name as the reason, at the
 * first SIGTERM or SIGINT; it ends in order and answers whether that was for being told to (exit code 0) or
 * for a reason of its own (1: the kubelet starts it anew). A second signal ends the process at once with 1,
 * and so do time and an error that nobody caught.
 */
export async function runUntilSignal<Ending extends string>(
  work: (stop: AbortSignal) => Promise<Ending | 'told-to'>,
  log: Log,
  limitMs = STOP_MS,
): Promise<void> {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody caught');
    process.exit(1);
  });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => heard(name));
  const heard = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      log.warn({ signal }, 'stopped at once');
      process.exit(1);
    }
    log.info({ signal }, 'stopping');
    stop.abort(signal);
    setTimeout(() => {
      log.warn({ signal }, 'stopped before everything had ended');
      process.exit(1);
    }, limitMs).unref();
  };
  const ending = await work(stop.signal);
  log.info({ ending }, 'stopped');
  process.exit(ending === 'told-to' ? 0 : 1);
}

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** Time limit after the first signal. It is less than the grace period of a Pod, 30 s. */
const STOP_MS = 25_000;

/**
 * Runs an entry point until it ends. The first SIGTERM or SIGINT aborts `stop`, with the name of the signal
 * as the reason. `work` then finishes what it does and returns `stopped` (exit code 0). If it returns
 * anything else, the exit code is 1, and the kubelet starts the container again. A second signal, `limitMs`
 * after the first signal, or an uncaught error ends the process at once with exit code 1.
 */
export async function runUntilSignal<Ending extends string>(
  work: (stop: AbortSignal) => Promise<Ending | 'stopped'>,
  log: Log,
  limitMs = STOP_MS,
): Promise<void> {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error');
    process.exit(1);
  });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => onSignal(name));
  const onSignal = (signal: NodeJS.Signals): void => {
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
  process.exit(ending === 'stopped' ? 0 : 1);
}

import { operatorConfig } from '#config';
import { createLog } from '#adapters/http/log.ts';
import type { Log } from '#adapters/http/log.ts';
import { startOperator } from './operator.ts';

/** Below the Pod's grace period of 30 s: what has not ended by then is cut off, and found again by the next leader. */
const STOP_MS = 20_000;

/** The operator's door. Ends the process when it was told to stop, or when it no longer leads. */
export async function runOperator(): Promise<void> {
  const configured = operatorConfig();
  if (configured.problems !== undefined) {
    for (const problem of configured.problems) process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const { config } = configured;
  const log = createLog(config.logLevel, 'operator');
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody caught');
    process.exit(1);
  });
  const stop = new AbortController();
  stopAtSignal(stop, log);
  const ending = await startOperator(config, log, stop.signal);
  log.info({ ending }, 'stopped');
  // A leader that lost its lease starts anew with nothing in memory: the kubelet sees to it.
  process.exit(ending === 'told-to' ? 0 : 1);
}

function stopAtSignal(stop: AbortController, log: Log): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      log.info({ signal: name }, 'stopping');
      stop.abort();
      setTimeout(() => {
        log.warn('stopped before everything had ended');
        process.exit(1);
      }, STOP_MS).unref();
    });
  }
}

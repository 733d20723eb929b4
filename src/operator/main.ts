import { collectGarbage } from '#adapters/process/collect-garbage.ts';
import { runUntilSignal } from '#adapters/process/run-until-signal.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { operatorConfig } from '#config';
import { startOperator } from './operator.ts';

/** Entry point of the operator. Ends the process after a signal, or when it loses the lead. */
export async function runOperator(): Promise<void> {
  const configured = operatorConfig();
  if (configured.problems !== undefined) {
    for (const problem of configured.problems) process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const { config } = configured;
  const log = createLog(config.logLevel, 'operator');
  collectGarbage();
  // After a lost lease the kubelet restarts the process, so that it begins with empty caches.
  await runUntilSignal((stop) => startOperator(config, log, stop), log);
}

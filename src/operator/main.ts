import { runUntilSignal } from '#adapters/process/run-until-signal.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { operatorConfig } from '#config';
import { startOperator } from './operator.ts';

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
  // A leader that lost its lease starts anew with nothing in memory: the kubelet sees to it.
  await runUntilSignal((stop) => startOperator(config, log, stop), log);
}

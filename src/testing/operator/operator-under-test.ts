import type { Log } from '#adapters/telemetry/log.ts';
import type { OperatorConfig } from '#config';
import { startOperator, type Ending } from '#operator/operator.ts';

/**
 * Runs an operator for tests. If it exits, it is restarted, as by the kubelet: on a slow machine a leader may
 * fail to renew its lease.
 */
export async function runOperator(config: OperatorConfig, log: Log, stop: AbortSignal): Promise<Ending> {
  for (;;) {
    const ending = await startOperator(config, log, stop);
    if (stop.aborted || ending !== 'lead-lost') return ending;
  }
}

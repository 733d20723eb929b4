import type { Log } from '#adapters/telemetry/log.ts';
import type { OperatorConfig } from '#config';
import { startOperator, type Ending } from '#operator/operator.ts';

/**
 * Runs an operator for tests. If it ends because it failed to renew its lease, which may happen on a slow
 * machine, starts it again, as the kubelet would.
 */
export async function runOperator(config: OperatorConfig, log: Log, stop: AbortSignal): Promise<Ending> {
  for (;;) {
    const ending = await startOperator(config, log, stop);
    if (stop.aborted || ending !== 'lead-lost') return ending;
  }
}

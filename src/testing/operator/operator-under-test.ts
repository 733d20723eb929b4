import type { Log } from '#adapters/telemetry/log.ts';
import type { OperatorConfig } from '#config';
import { startOperator, type Ending } from '#operator/operator.ts';

/**
 * An operator for tests. It is started anew, as the kubelet does, when it ends by itself: on a slow machine a
 * leader may not renew its lease in time.
 */
export async function runOperator(config: OperatorConfig, log: Log, stop: AbortSignal): Promise<Ending> {
  for (;;) {
    const ending = await startOperator(config, log, stop);
    if (stop.aborted || ending !== 'lead-lost') return ending;
  }
}

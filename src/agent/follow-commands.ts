import { isCancel } from './answers.ts';
import { SessionOver, type GatewayClient } from './gateway-client.ts';
import { gatewayBackOff, pauseFor } from './retry.ts';
import type { Stop } from './stop.ts';

/** A stream that lasts this long resets the back-off. */
const STABLE_STREAM_MS = 10_000;

/** Follows the command stream until `done`, and reconnects whenever it breaks. */
export async function followCommands(
  client: Pick<GatewayClient, 'follow'>,
  stop: Stop,
  done: AbortSignal,
): Promise<void> {
  const backOff = gatewayBackOff();
  while (!done.aborted) {
    const began = performance.now();
    try {
      await client.follow('/agent/v1/commands', handleLine, done);
    } catch (error) {
      if (error instanceof SessionOver) {
        stop.request('session-over');
        return;
      }
    }
    if (performance.now() - began > STABLE_STREAM_MS) backOff.reset();
    await pauseFor(backOff.next(), done);
  }
  function handleLine(line: string): void {
    if (isCancel(line)) stop.request('cancelled');
  }
}

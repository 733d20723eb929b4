import { isCancel } from './answers.ts';
import { SessionOver, type GatewayClient } from './gateway-client.ts';
import { gatewayBackOff, pauseFor } from './retry.ts';
import type { Stop } from './stop.ts';

/** A stream that lived for so long was a good one. */
const GOOD_STREAM_MS = 10_000;

/** Listens for commands until `done`; the stream may break and come back as often as it likes. */
export async function followCommands(
  client: Pick<GatewayClient, 'follow'>,
  stop: Stop,
  done: AbortSignal,
): Promise<void> {
  const backOff = gatewayBackOff();
  while (!done.aborted) {
    const began = performance.now();
    try {
      await client.follow('/agent/v1/commands', heed, done);
    } catch (error) {
      if (error instanceof SessionOver) {
        stop.ask('session-over');
        return;
      }
    }
    if (performance.now() - began > GOOD_STREAM_MS) backOff.reset();
    await pauseFor(backOff.next(), done);
  }
  function heed(line: string): void {
    if (isCancel(line)) stop.ask('cancelled');
  }
}

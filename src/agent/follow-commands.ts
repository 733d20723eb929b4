import { gatewayCommandOf } from './answers.ts';
import { SessionOver, type GatewayClient } from './gateway-client.ts';
import { gatewayBackOff, pauseFor } from './retry.ts';
import type { Stop } from './stop.ts';

/** A stream that lasts this long resets the back-off. */
const STABLE_STREAM_MS = 10_000;

interface FollowerOfCommands {
  stop: Stop;
  /** Called when a person opened a shell or typed something in one. */
  onDebug: () => void;
}

/**
 * Follows the command stream until `done` aborts or the session is over, and reconnects whenever it breaks.
 */
export async function followCommands(
  client: Pick<GatewayClient, 'follow'>,
  { stop, onDebug }: FollowerOfCommands,
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
    const command = gatewayCommandOf(line);
    if (command === 'cancel') stop.request('cancelled');
    if (command === 'debug') onDebug();
  }
}

import { isCancel } from './answers.ts';
import { SessionOver, type GatewayClient } from './gateway-client.ts';
import { pauseAfter, pauseFor } from './retry.ts';
import type { Stop } from './stop.ts';

/** Listens for commands until `done`; the stream may break and come back as often as it likes. */
export async function followCommands(client: GatewayClient, stop: Stop, done: AbortSignal): Promise<void> {
  for (let failures = 0; !done.aborted; failures += 1) {
    try {
      await client.follow('/agent/v1/commands', heed, done);
    } catch (error) {
      if (error instanceof SessionOver) {
        stop.ask('session-over');
        return;
      }
    }
    await pauseFor(pauseAfter(failures), done);
  }
  function heed(line: string): void {
    if (isCancel(line)) stop.ask('cancelled');
  }
}

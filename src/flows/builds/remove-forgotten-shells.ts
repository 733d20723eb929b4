import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { judgeDebugSession } from '#domain/build/debug-session.ts';
import type { DebugPorts, DebugStore } from './debug-ports.ts';

interface Ports extends Pick<DebugPorts, 'now'> {
  debug: Pick<DebugStore, 'withForgotten'>;
}

/**
 * Ends and removes debug sessions whose person neither reads output nor sends input any more. Safe to repeat
 * and to run concurrently.
 */
export async function removeForgottenShells({ debug, now }: Ports): Promise<void> {
  const at = now();
  const since = new Date(at.getTime() - DEBUG_LIMITS.awayMs);
  await debug.withForgotten(since, async (tx, sessions) => {
    for (const session of sessions) {
      const end = session.end === undefined ? judgeDebugSession(session, at) : undefined;
      if (end !== undefined) await tx.end(session, end, at);
      await tx.remove(session.id);
    }
  });
}

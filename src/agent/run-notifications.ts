import { NOTIFICATION_SECONDS } from '#domain/build/cancel-grace.ts';
import { sendsFor } from '#domain/build/notification-events.ts';
import type { BuildContext, NodeEnd } from './build-context.ts';
import { runStep } from './run-step.ts';

/**
 * Sends the notifications for how the build ended. One that fails does not change the outcome of the build.
 * Returns false if `hooksStop` stopped it before all notifications were sent.
 */
export async function sendNotifications(
  end: NodeEnd,
  variables: Record<string, string>,
  context: BuildContext,
): Promise<boolean> {
  const { status, cause } = end;
  if (status === 'skipped') return true;
  const timedOut = cause?.timedOut === true ? { BUILD_TIMED_OUT: 'true' } : {};
  const exports = { ...end.exports, ...context.hookExports };
  const { hooksStop } = context;
  const { notifications, previousOutcome } = context.plan;
  for (const { on, step } of notifications) {
    if (!sendsFor(on, status, previousOutcome)) continue;
    if (hooksStop.reason !== undefined) return false;
    await runStep(
      { timeoutSeconds: NOTIFICATION_SECONDS, ...step },
      {
        exports,
        variables: { ...variables, ...timedOut, notify_build_status: status },
        stop: hooksStop,
      },
      context,
    );
    if (hooksStop.reason !== undefined) return false;
  }
  return true;
}

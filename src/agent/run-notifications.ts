import { NOTIFICATION_SECONDS } from '#domain/build/cancel-grace.ts';
import { sendsFor } from '#domain/build/notification-events.ts';
import type { BuildContext, NodeEnd } from './build-context.ts';
import { runStep } from './run-step.ts';

/** Sends the notifications for how the build ended. If one fails, the build's outcome stays. */
export async function sendNotifications(
  end: NodeEnd,
  variables: Record<string, string>,
  context: BuildContext,
): Promise<void> {
  const { status, cause } = end;
  if (status === 'skipped') return;
  const timedOut = cause?.timedOut === true ? { BUILD_TIMED_OUT: 'true' } : {};
  const exports = { ...end.exports, ...context.hookExports };
  const { notifications, previousOutcome } = context.plan;
  for (const { on, step } of notifications) {
    if (!sendsFor(on, status, previousOutcome)) continue;
    if (context.hooksStop.isFinal) return;
    await runStep(
      { timeoutSeconds: NOTIFICATION_SECONDS, ...step },
      {
        exports,
        variables: { ...variables, ...timedOut, notify_build_status: status },
        stop: context.hooksStop,
      },
      context,
    );
  }
}

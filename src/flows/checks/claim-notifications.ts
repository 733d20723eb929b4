import { decideNotificationRuns } from '#domain/build/due-notifications.ts';
import type { CheckStore } from './ports.ts';

/**
 * Opens runs that send the notifications of builds without a running agent. A team has at most one such run
 * at a time. `runHooks` creates the Pods of these runs. Returns the number of runs opened, and whether more
 * notifications may be due.
 */
export async function claimNotifications({
  checks,
}: {
  checks: Pick<CheckStore, 'dueNotifications' | 'openNotificationRuns'>;
}): Promise<{ opened: number; more: boolean }> {
  const due = await checks.dueNotifications();
  if (due.length === 0) return { opened: 0, more: false };
  const decision = decideNotificationRuns(due);
  await checks.openNotificationRuns(decision);
  const notSent = decision.silent.length + decision.late.length + decision.outdated.length;
  return { opened: decision.runs.length, more: notSent > 0 && decision.runs.length === 0 };
}

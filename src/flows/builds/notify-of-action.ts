import type { ActionDone, ActionPorts, ActionRefused } from './action-ports.ts';

/**
 * Notifies the agents of stopped builds, then the scheduler, then everything that shows the pipeline's
 * status.
 */
export function notifyOfAction(
  answer: ActionDone | ActionRefused,
  { notifications }: Pick<ActionPorts, 'notifications'>,
): void {
  if (answer.answer !== 'done') return;
  for (const build of answer.stopped) notifications.notify({ topic: 'cancel', build });
  notifications.notify({ topic: 'schedule', pipeline: answer.pipelineId });
  notifications.notify({ topic: 'status', pipeline: answer.pipelineId });
}

import type { ResourceName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { CheckStore, WebhookAnswer, WebhookCall } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'requestCheck' | 'requestChecksByToken'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/**
 * Requests a check on behalf of a person. The request is recorded when this returns. A request while a check
 * runs leads to another check.
 */
export async function requestCheck(resource: ResourceName, ports: Ports): Promise<'requested' | 'unknown'> {
  const answer = await ports.checks.requestCheck(resource, 'manual', ports.now());
  if (answer === 'requested') ports.notifications.notify({ topic: 'checks' });
  return answer;
}

/**
 * Requests the checks of webhooks. A request with the answer `requested` is recorded when this returns. The
 * operator is notified only if a check became due.
 */
export async function answerWebhooks(
  webhooks: { calls: readonly WebhookCall[]; wait: boolean },
  ports: Ports,
): Promise<WebhookAnswer[]> {
  const { answers, written } = await ports.checks.requestChecksByToken(webhooks, ports.now());
  if (written) ports.notifications.notify({ topic: 'checks' });
  return answers;
}

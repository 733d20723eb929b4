import type { ResourceName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { CheckStore, WebhookAnswer, WebhookCall } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'requestCheck' | 'requestChecksByToken'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/** A person wants a check. Durable when it answers; a check that is running is followed by another. */
export async function requestCheck(resource: ResourceName, ports: Ports): Promise<'requested' | 'unknown'> {
  const answer = await ports.checks.requestCheck(resource, 'manual', ports.now());
  if (answer === 'requested') ports.notifications.notify({ topic: 'checks' });
  return answer;
}

/** Durable when it answers. Who checks is told after the transaction, and only when something is new. */
export async function answerWebhooks(
  asked: { calls: readonly WebhookCall[]; wait: boolean },
  ports: Ports,
): Promise<WebhookAnswer[]> {
  const { answers, written } = await ports.checks.requestChecksByToken(asked, ports.now());
  if (written) ports.notifications.notify({ topic: 'checks' });
  return answers;
}

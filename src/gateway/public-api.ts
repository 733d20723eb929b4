import { createSecretKey } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { webhookSecret, webhookToken, webhookTokenHash } from '#adapters/database/digests.ts';
import { gathered } from '#adapters/http/gather.ts';
import { remember } from '#adapters/http/remember.ts';
import type { PublicMetrics } from '#adapters/http/metrics.ts';
import { WaitingTriggers } from '#adapters/http/waiting-triggers.ts';
import type { PublicApi, WebhookShown } from '#adapters/http/public-api.ts';
import type { ActionStore } from '#flows/action-ports.ts';
import { actionsOver } from '#flows/actions.ts';
import type { CheckStore, WebhookAnswer, WebhookCall } from '#flows/check-ports.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { BuildStore } from '#flows/ports.ts';
import { regenerateWebhook } from '#flows/regenerate-webhook.ts';
import { requestByWebhook, requestCheck } from '#flows/request-check.ts';
import { triggerJob, triggerJobAfterChecks } from '#flows/trigger-job.ts';
import type { Views } from '#flows/views.ts';

export interface PublicApiParts {
  views: Views;
  shows: Pick<PublicApi, 'publicView' | 'picture' | 'pictureAtHand' | 'badge' | 'shown'>;
  checks: CheckStore;
  builds: BuildStore;
  actions: ActionStore;
  notifications: Notifications;
  webhookKey: Buffer;
  metrics: PublicMetrics;
  now: () => Date;
}

/** What people and forges may ask, as flows over the database, counted. */
export function publicApi(parts: PublicApiParts): PublicApi {
  const { metrics } = parts;
  const webhookKey = createSecretKey(parts.webhookKey);
  const byWebhook = webhooks(parts);
  const waiting = new WaitingTriggers();
  const shown = (id: number, generation: number, signed: boolean): WebhookShown => {
    const token = webhookToken(webhookKey, id, generation);
    return { token, secret: webhookSecret(webhookKey, token), signed };
  };
  const webhookHash = (id: number, generation: number): string =>
    webhookTokenHash(webhookToken(webhookKey, id, generation));
  return {
    ...parts.views,
    ...parts.shows,
    ...actionsOver(parts),
    async requestCheckByWebhook(token, signature) {
      const answer = await byWebhook({ tokenHash: webhookTokenHash(token), signature });
      metrics.webhook(answer === 'requested' ? 'accepted' : answer);
      return answer;
    },
    webhookSecret: remember(REMEMBERED, (token) => webhookSecret(webhookKey, token)),
    async requestCheck(resource) {
      const answer = await requestCheck(resource, parts);
      metrics.check(answer);
      return answer;
    },
    async triggerJob(job, { by, check }) {
      const answer = check
        ? await waiting.wait(by, () => triggerJobAfterChecks(job, by, { ...parts, sleep }))
        : await triggerJob(job, by, parts);
      metrics.trigger(answer.answer);
      return answer;
    },
    listen: (topics, heard) => parts.notifications.listen(topics, heard),
    webhook: ({ id, webhookGeneration, webhookSigned }) => shown(id, webhookGeneration, webhookSigned),
    async regenerateWebhook(name, signed) {
      const answer = await regenerateWebhook(name, signed, { ...parts, webhookHash });
      if (answer.answer !== 'done') return answer;
      return { ...answer, webhook: shown(answer.resource, answer.generation, answer.signed) };
    },
  };
}

/** Resolves after so long, or when the signal is given. */
const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);

/** Forges come again with the same tokens. Tokens that nobody has are remembered like others, so that their answer takes as long. */
const REMEMBERED = 2000;

/** Of one transaction. */
const MOST_WEBHOOKS = 1000;
const MOST_WAITING = 20_000;

/** Forges send bursts, and repeat themselves: equal requests are one, and all that come meanwhile share a transaction. */
function webhooks(parts: PublicApiParts): (call: WebhookCall) => Promise<Exclude<WebhookAnswer, 'busy'>> {
  const lane = (wait: boolean) =>
    gathered<WebhookCall, WebhookAnswer>({
      call: (calls) => requestByWebhook({ calls, wait }, parts),
      nameOf: ({ tokenHash, signature }) => `${signature} ${tokenHash}`,
      most: MOST_WEBHOOKS,
      mostWaiting: MOST_WAITING,
    });
  const [quick, patient] = [lane(false), lane(true)];
  return async (call) => {
    let answer = await quick(call);
    while (answer === 'busy') answer = await patient(call);
    return answer;
  };
}

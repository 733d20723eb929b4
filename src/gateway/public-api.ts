import { webhookToken, webhookTokenHash } from '#adapters/database/digests.ts';
import { coalesced } from '#adapters/http/coalesce.ts';
import type { PublicMetrics } from '#adapters/http/metrics.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import type { ActionStore } from '#flows/action-ports.ts';
import { actionsOver } from '#flows/actions.ts';
import type { CheckStore } from '#flows/check-ports.ts';
import type { Bell, BuildStore } from '#flows/ports.ts';
import { requestCheck, requestCheckByWebhook } from '#flows/request-check.ts';
import { triggerJob } from '#flows/trigger-job.ts';
import type { Views } from '#flows/views.ts';

export interface PublicApiParts {
  views: Views;
  checks: CheckStore;
  builds: BuildStore;
  actions: ActionStore;
  bell: Bell;
  webhookKey: Buffer;
  metrics: PublicMetrics;
  now: () => Date;
}

/** What people and forges may ask, as flows over the database, counted. */
export function publicApi(parts: PublicApiParts): PublicApi {
  const { metrics } = parts;
  // Forges send bursts, and repeat themselves.
  const byWebhook = coalesced((tokenHash) => requestCheckByWebhook(tokenHash, parts));
  return {
    ...parts.views,
    ...actionsOver(parts),
    async requestCheckByWebhook(token) {
      const resource = await byWebhook(webhookTokenHash(token));
      metrics.webhook(resource === undefined ? 'unknown' : 'accepted');
      return resource !== undefined;
    },
    async requestCheck(resource) {
      const answer = await requestCheck(resource, parts);
      metrics.check(answer);
      return answer;
    },
    async triggerJob(job, by) {
      const answer = await triggerJob(job, by, parts);
      metrics.trigger(answer.answer);
      return answer;
    },
    listen: (topics, heard) => parts.bell.listen(topics, heard),
    webhookToken: ({ id, webhookGeneration }) => webhookToken(parts.webhookKey, id, webhookGeneration),
  };
}

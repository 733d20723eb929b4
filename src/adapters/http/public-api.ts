import type { Done, Refused } from '#flows/action-ports.ts';
import type { Actions } from '#flows/actions.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { JobName, PipelineName, ResourceName } from '#flows/ports.ts';
import type { TriggerAnswer } from '#flows/trigger-ports.ts';
import type { ShownLists } from '#flows/show-lists.ts';
import type { Shows } from '#flows/show-pipeline.ts';
import type { ResourceView, Views } from '#flows/views.ts';
import type { Signature } from './webhook-signature.ts';

export interface WebhookShown {
  token: string;
  /** What a forge signs with. */
  secret: string;
  /** Webhooks without a signature are refused. */
  signed: boolean;
}

/** What the public routes ask for; the door wires flows behind it. */
export interface PublicApi extends Views, Actions, Pick<Shows, 'publicView' | 'picture' | 'pictureAtHand'> {
  /** What strangers read of public pipelines. */
  shown: ShownLists;
  badge(
    name: PipelineName & { job?: string },
    member: boolean,
  ): Promise<{ svg: string; public: boolean } | undefined>;
  /** Once the request is durable; what is refused, and a token that no resource has, take the same work. */
  requestCheckByWebhook(token: string, signature: Signature): Promise<'requested' | 'unknown' | 'refused'>;
  webhookSecret(token: string): string;
  requestCheck(resource: ResourceName): Promise<'requested' | 'unknown'>;
  /** `busy`: too many triggers wait for checks at a time. */
  triggerJob(
    job: JobName,
    asked: { by: string; check: boolean },
  ): Promise<TriggerAnswer | { answer: 'busy' }>;
  /** Hears that something may have changed. */
  listen: Notifications['listen'];
  /** For those who may see it: derived, never stored. */
  webhook(resource: Pick<ResourceView, 'id' | 'webhookGeneration' | 'webhookSigned'>): WebhookShown;
  regenerateWebhook(
    resource: ResourceName,
    signed: boolean | undefined,
  ): Promise<(Done & { webhook: WebhookShown }) | Refused>;
}

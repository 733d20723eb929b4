import type { ActionRefused, ActionStore, WebhookRegenerated } from '#flows/builds/action-ports.ts';
import type { ResourceName } from '#flows/names.ts';

interface Ports {
  actions: Pick<ActionStore, 'withPipeline'>;
  /** Hash of the webhook token of this generation. */
  webhookHash: (resource: number, generation: number) => string;
}

/**
 * Creates a new webhook token for a resource and invalidates the current one. `signed`: whether deliveries
 * need a signature; undefined: unchanged.
 */
export async function regenerateWebhook(
  name: ResourceName,
  signed: boolean | undefined,
  { actions, webhookHash }: Ports,
): Promise<WebhookRegenerated | ActionRefused> {
  return await actions.withPipeline(name, async (tx): Promise<WebhookRegenerated | ActionRefused> => {
    const webhook = await tx.nextWebhook(name.resource, signed);
    if (webhook === undefined) return { answer: 'unknown' };
    await tx.saveWebhookHash(webhook.resource, webhookHash(webhook.resource, webhook.generation));
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [], ...webhook };
  });
}

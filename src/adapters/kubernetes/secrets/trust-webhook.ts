import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { webhookConfigurationOf } from '#adapters/kubernetes/manifests/release-names.ts';

/**
 * Sets the CA bundle of the admission webhook in the ValidatingWebhookConfiguration of the chart, and nothing
 * else. Throws if the configuration does not exist.
 */
export async function trustWebhook(
  client: Pick<ApiClient, 'get' | 'apply'>,
  release: string,
  certificateAuthority: string,
): Promise<'same' | 'written'> {
  const name = webhookConfigurationOf(release);
  const found = orThrow(
    await client.get(KINDS.validatingWebhooks, { name }),
    `reading the ValidatingWebhookConfiguration ${name}`,
  );
  const caBundle = Buffer.from(certificateAuthority).toString('base64');
  const webhooks = found.webhooks ?? [];
  if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return 'same';
  const trusting = webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } }));
  orThrow(
    await client.apply(KINDS.validatingWebhooks, { metadata: { name }, webhooks: trusting }),
    `writing the authority into the ValidatingWebhookConfiguration ${name}`,
  );
  return 'written';
}

import { baseUrl, type pipelineApi } from '#e2e/support/gateway.ts';
import { apply } from '#e2e/support/kubectl.ts';
import type { GiteaRepository } from '#testing/forges/gitea-repository.ts';
import { startGitea, type Gitea } from '#testing/forges/gitea.ts';
import { clusterRanges, nodeAddress } from '#tools/cluster/addresses.ts';

/** A real Gitea on the node's address, which Pods can reach. It may send webhooks into the cluster. */
export const startForge = async (): Promise<Gitea> =>
  await startGitea({ host: nodeAddress, webhookHosts: clusterRanges });

/** Stores the token of the forge in a Secret. Returns the field of a Pipeline's spec that reads it. */
export async function storeToken(namespace: string, { owner }: Gitea): Promise<object> {
  const metadata = { name: 'forge', namespace, labels: { 'millrace.dev/usable': 'true' } };
  await apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: owner.token } });
  return { varsFrom: [{ secretRef: { name: 'forge' } }] };
}

/** Enters the webhook of a resource in the forge, with its secret. */
export async function enterWebhook(
  repository: GiteaRepository,
  api: ReturnType<typeof pipelineApi>,
  resource: string,
): Promise<void> {
  const { webhook_token: token, webhook_secret: secret } = await api.resource(resource);
  if (token === undefined || secret === undefined) throw new Error(`${resource} shows no webhook`);
  const url = `${await baseUrl()}/webhooks/${token}`;
  await repository.createWebhook({ url, secret, events: ['push', 'request'] });
}

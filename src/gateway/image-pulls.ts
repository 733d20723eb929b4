import type { V1Pod, V1Secret } from '@kubernetes/client-node';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { credentialText } from '#adapters/registry/pull-credentials.ts';
import type { ImagePulls } from '#flows/builds/image-ports.ts';

/** How many image pull secrets the gateway reads for one Pod. */
const MAX_SECRETS = 20;

/**
 * Reads the image pull secrets of Millrace's Pods. Unlike secrets of pipelines, they need no label
 * `millrace.dev/usable`, because the kubelet needs none either.
 */
export function imagePulls(client: Pick<ApiClient, 'get'>): ImagePulls {
  return {
    async factsOf({ namespace, name }) {
      const pod = await client.get(KINDS.pods, { namespace, name });
      if (!pod.ok) return undefined;
      const secrets = await Promise.all(
        secretNames(pod.value).map((secret) => client.get(KINDS.secrets, { namespace, name: secret })),
      );
      if (secrets.some((secret) => !secret.ok && secret.status !== 404)) return undefined;
      const credentialTexts = secrets.flatMap((secret) => (secret.ok ? (textOf(secret.value) ?? []) : []));
      const startedAt = startOfAgent(pod.value);
      return {
        credentialTexts,
        ...(startedAt === undefined ? {} : { agentStartedAt: new Date(startedAt) }),
      };
    },
  };
}

function secretNames({ spec }: Wire<V1Pod>): string[] {
  const names = (spec?.imagePullSecrets ?? []).map(({ name = '' }) => name);
  const givenNames = names.filter((name) => name !== '');
  return [...new Set(givenNames)].slice(0, MAX_SECRETS);
}

const textOf = ({ type, data }: Wire<V1Secret>): string | undefined => credentialText(type, data ?? {});

function startOfAgent({ status }: Wire<V1Pod>): string | undefined {
  return status?.containerStatuses?.find(({ name }) => name === 'agent')?.state?.running?.startedAt;
}

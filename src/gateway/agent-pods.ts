import type { V1Pod, V1TokenReview, V1UserInfo } from '@kubernetes/client-node';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { GATEWAY_AUDIENCE, SERVICE_ACCOUNT } from '#adapters/kubernetes/manifests/pod.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';

export interface PodIdentity {
  namespace: string;
  name: string;
  uid: string;
}

/** What the API server knows of agents: one look at a Pod, and whose a projected token is. */
export interface AgentPods {
  find(namespace: string, name: string): Promise<AgentPod | undefined>;
  /** The Pod that the token was made for; undefined when it is no token of an agent of ours. */
  ofToken(token: string): Promise<PodIdentity | undefined>;
}

export function agentPods(client: Pick<ApiClient, 'get' | 'reviewToken'>): AgentPods {
  return {
    async find(namespace, name) {
      const answer = await client.get(KINDS.pods, { namespace, name });
      const pod = orAbsent(answer, `reading Pod ${namespace}/${name}`);
      return pod === undefined ? undefined : podOf(pod);
    },
    async ofToken(token) {
      const answer = await client.reviewToken(token, [GATEWAY_AUDIENCE]);
      return identityOf(orThrow(answer, 'reviewing the token of an agent'));
    },
  };
}

const ENDED = new Set(['Succeeded', 'Failed']);

function podOf({ metadata = {}, status = {} }: Wire<V1Pod>): AgentPod {
  const listed = (status.podIPs ?? []).map(({ ip }) => ip);
  return {
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? {},
    ending: metadata.deletionTimestamp !== undefined || ENDED.has(status.phase ?? ''),
    addresses: [...new Set([...listed, status.podIP])].filter((ip) => ip !== undefined),
  };
}

/** Only tokens that the API server bound to a Pod of the service account of our Pods, for us. */
function identityOf({ status }: Wire<V1TokenReview>): PodIdentity | undefined {
  if (status?.authenticated !== true || status.user === undefined) return undefined;
  if (status.audiences?.includes(GATEWAY_AUDIENCE) !== true) return undefined;
  const namespace = namespaceOf(status.user.username);
  const name = extraOf(status.user, 'pod-name');
  const uid = extraOf(status.user, 'pod-uid');
  return namespace && name && uid ? { namespace, name, uid } : undefined;
}

function extraOf({ extra }: Wire<V1UserInfo>, name: string): string | undefined {
  return extra?.[`authentication.kubernetes.io/${name}`]?.[0];
}

function namespaceOf(user: string | undefined): string | undefined {
  const [system, kind, namespace, account, ...more] = user?.split(':') ?? [];
  const ours = system === 'system' && kind === 'serviceaccount' && account === SERVICE_ACCOUNT;
  return ours && more.length === 0 ? namespace : undefined;
}

import type { V1Pod, V1TokenReview, V1UserInfo } from '@kubernetes/client-node';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import { GATEWAY_AUDIENCE } from '#adapters/kubernetes/manifests/pod-volumes.ts';
import { SERVICE_ACCOUNT } from '#adapters/kubernetes/manifests/pod.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { AgentPods, PodName } from '#flows/builds/session-ports.ts';
import { unavailable } from './unavailable.ts';

/** Finds the Pods of agents through the API server. */
export function agentPods(client: Pick<ApiClient, 'get' | 'reviewToken'>): AgentPods {
  return {
    async find({ namespace, name }) {
      const answer = await client.get(KINDS.pods, { namespace, name });
      if (answer.ok) return { answer: 'found', pod: podOf(answer.value) };
      if (answer.status === 404) return { answer: 'absent' };
      return unavailable(`reading Pod ${namespace}/${name}`, answer);
    },
    async ofToken(token) {
      const answer = await client.reviewToken(token, [GATEWAY_AUDIENCE]);
      if (!answer.ok) return unavailable('reviewing the token of an agent', answer);
      const pod = podOfToken(answer.value);
      return pod === undefined ? { answer: 'unknown' } : { answer: 'agent', pod };
    },
    nameForBuild: buildPodName,
    nameForChecks: checkPodName,
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

/**
 * The Pod that a token is bound to. Undefined if the token is invalid, is bound to no Pod, is for another
 * audience than the gateway, or belongs to another service account than that of agents.
 */
function podOfToken({ status }: Wire<V1TokenReview>): (PodName & { uid: string }) | undefined {
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

/** The namespace in the user name of an agent, `system:serviceaccount:<namespace>:<service account>`. */
function namespaceOf(user: string | undefined): string | undefined {
  const [system, kind, namespace, account, ...more] = user?.split(':') ?? [];
  const isOfAgent = system === 'system' && kind === 'serviceaccount' && account === SERVICE_ACCOUNT;
  return isOfAgent && more.length === 0 ? namespace : undefined;
}

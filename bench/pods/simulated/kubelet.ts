import type { AuthenticationV1TokenRequest } from '@kubernetes/client-node';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type ApiKind, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { SimulatedPodWork } from './pod-work.ts';

/**
 * Requests a token bound to this Pod and one audience, as the kubelet does for the Pod's volume. Undefined if
 * the Pod has no such volume.
 */
export async function tokenFor(
  { pod, token }: SimulatedPodWork,
  client: Pick<ApiClient, 'create'>,
): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const requests: ApiKind<Wire<AuthenticationV1TokenRequest>> = {
    apiVersion: 'v1',
    kind: 'TokenRequest',
    plural: `serviceaccounts/${token.account}/token`,
    namespaced: true,
  };
  const answer = await client.create(requests, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { namespace: pod.namespace },
    spec: {
      audiences: [token.audience],
      expirationSeconds: token.seconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
    },
  });
  return orThrow(answer, `asking for the token of ${pod.namespace}/${pod.name}`).status?.token;
}

/** The status that a kubelet reports once all containers of a Pod have succeeded. */
export function endedStatus(
  { containers, startedAt }: Pick<SimulatedPodWork, 'containers' | 'startedAt'>,
  at: Date,
) {
  const finishedAt = at.toISOString();
  return {
    phase: 'Succeeded',
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: false,
      restartCount: 0,
      started: false,
      state: { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt } },
    })),
  };
}

/**
 * Reports that all containers of a Pod have succeeded. Does nothing if the Pod was deleted, even if another
 * has its name.
 */
export async function reportEnd(
  work: SimulatedPodWork,
  client: Pick<ApiClient, 'patchMerge'>,
): Promise<void> {
  const { namespace, name, uid } = work.pod;
  // `patchMerge` takes no subresource, so the Pod's name is a part of the path of this kind.
  const statusOfPod = { ...KINDS.pods, plural: `pods/${encodeURIComponent(name)}` };
  const patch = { metadata: { uid }, status: endedStatus(work, new Date()) };
  const answer = await client.patchMerge(statusOfPod, { namespace, name: 'status' }, patch);
  if (!answer.ok && answer.status !== 404 && answer.status !== 409)
    orThrow(answer, `ending ${namespace}/${name}`);
}

import type { V1Pod } from '@kubernetes/client-node';
import { MANAGED_BY } from '#adapters/kubernetes/manifests/labels.ts';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';

/** What the agent of a Pod knows, and what its kubelet does. */
export interface PodWork {
  pod: { namespace: string; name: string; uid: string };
  gateway: URL;
  certificateAuthority: string;
  nonce?: string;
  /** The Pod has a volume with a token for the gateway. */
  token?: { account: string; audience: string; seconds: number };
  address: string;
  containers: { name: string; image: string }[];
  startedAt: string;
}

/** The work of a Pod of ours that runs; undefined for all others. */
export function podWork({ metadata = {}, spec, status }: Wire<V1Pod>): PodWork | undefined {
  const { name, namespace, uid, labels = {}, deletionTimestamp } = metadata;
  if (labels[MANAGED_BY] !== 'millrace' || deletionTimestamp !== undefined) return undefined;
  if (status?.phase !== 'Running' || spec === undefined || !name || !namespace || !uid) return undefined;
  const variables = new Map(spec.containers[0]?.env?.map((variable) => [variable.name, variable.value]));
  const need = (variable: string): string => {
    const value = variables.get(variable);
    if (value === undefined) throw new Error(`The Pod ${namespace}/${name} lacks ${variable}.`);
    return value;
  };
  const nonce = variables.get(AGENT_ENVIRONMENT.nonce);
  const token = variables.has(AGENT_ENVIRONMENT.tokenFile) ? tokenOf(spec) : undefined;
  return {
    pod: { namespace, name, uid },
    gateway: new URL(need(AGENT_ENVIRONMENT.gateway)),
    certificateAuthority: need(AGENT_ENVIRONMENT.certificateAuthority),
    ...(nonce === undefined ? {} : { nonce }),
    ...(token === undefined ? {} : { token }),
    address: status.podIP ?? '',
    containers: spec.containers.map((container) => ({ name: container.name, image: container.image ?? '' })),
    startedAt: status.startTime ?? '',
  };
}

function tokenOf(spec: NonNullable<Wire<V1Pod>['spec']>): PodWork['token'] {
  const projected = spec.volumes?.flatMap((volume) => volume.projected?.sources ?? []) ?? [];
  const [source] = projected.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []);
  const { audience, expirationSeconds = 3600 } = source ?? {};
  if (audience === undefined) throw new Error('The Pod names a token file, and has no token for anybody.');
  return { account: spec.serviceAccountName ?? 'default', audience, seconds: expirationSeconds };
}

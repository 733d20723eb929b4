import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { MANAGED_BY } from '#adapters/kubernetes/manifests/labels.ts';
import { defined } from '#defined';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';

/** What the simulated agent and the simulated kubelet need to know about a Pod. */
export interface SimulatedPodWork {
  pod: { namespace: string; name: string; uid: string };
  gateway: URL;
  certificateAuthority: string;
  nonce?: string;
  /** Which token the Pod's volume would hold; absent if the Pod has no token for the gateway. */
  token?: { account: string; audience: string; seconds: number };
  address: string;
  containers: { name: string; image: string }[];
  startedAt: string;
}

/** The work of a running Pod of Millrace; undefined for all others and for a Pod that is being deleted. */
export function podWork(pod: Wire<V1Pod>): SimulatedPodWork | undefined {
  const { metadata = {}, spec, status = {} } = pod;
  if (spec === undefined || !isRunningPodOfMillrace(pod)) return undefined;
  const { namespace = '', name = '', uid = '' } = metadata;
  const { podIP: address = '', startTime: startedAt = '' } = status;
  const containers = spec.containers.map((container) => ({
    name: container.name,
    image: container.image ?? '',
  }));
  return { pod: { namespace, name, uid }, address, startedAt, containers, ...settingsOf(spec) };
}

function isRunningPodOfMillrace({ metadata, status }: Wire<V1Pod>): boolean {
  const isOfMillrace = metadata?.labels?.[MANAGED_BY] === 'millrace';
  return isOfMillrace && metadata?.deletionTimestamp === undefined && status?.phase === 'Running';
}

type AgentSettings = Pick<SimulatedPodWork, 'gateway' | 'certificateAuthority' | 'nonce' | 'token'>;

/** The settings of the agent, from the environment of the first container, which is the agent's. */
function settingsOf(spec: NonNullable<Wire<V1Pod>['spec']>): AgentSettings {
  const variables = new Map(spec.containers[0]?.env?.map(({ name, value }) => [name, value]));
  const required = (name: string): string => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`A Pod lacks ${name}.`);
    return value;
  };
  return defined({
    gateway: new URL(required(AGENT_ENVIRONMENT.gateway)),
    certificateAuthority: required(AGENT_ENVIRONMENT.certificateAuthority),
    nonce: variables.get(AGENT_ENVIRONMENT.nonce),
    token: variables.has(AGENT_ENVIRONMENT.tokenFile) ? tokenOf(spec) : undefined,
  });
}

function tokenOf(spec: NonNullable<Wire<V1Pod>['spec']>): SimulatedPodWork['token'] {
  const projected = spec.volumes?.flatMap((volume) => volume.projected?.sources ?? []) ?? [];
  const [source] = projected.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []);
  const { audience, expirationSeconds = 3600 } = source ?? {};
  if (audience === undefined) throw new Error('The Pod names a token file but has no volume with a token.');
  return { account: spec.serviceAccountName ?? 'default', audience, seconds: expirationSeconds };
}

import type { V1Container, V1EnvVar, V1ResourceRequirements } from '@kubernetes/client-node';
import { defined } from '#defined';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import type { Installation } from './installation.ts';
import { agentMounts, SHIM_FOLDER, TOKEN_FILE, type PodVolumes } from './pod-volumes.ts';
import type { PodWork } from './pod-work.ts';
import { restrictedContext } from './security-context.ts';

/** Port on the Pod's loopback address at which the shims connect to the agent. */
export const SHIM_PORT = '7357';

const PROGRAM = '/usr/local/bin/millrace-agent';
/** Path of the shim in the worker image. */
export const SHIM = '/usr/local/bin/millrace-shim';
const INSTALL_SHIM = [SHIM, 'install', SHIM_FOLDER];

export interface AgentOptions {
  volumes: PodVolumes;
  resources: V1ResourceRequirements;
  installation: Installation;
}

/** The container that runs the plan. */
export function agentContainer(work: PodWork, options: AgentOptions): V1Container {
  const { volumes, resources, installation } = options;
  const mounts = agentMounts(volumes);
  return {
    name: 'agent',
    image: installation.image,
    imagePullPolicy: installation.imagePullPolicy,
    command: [PROGRAM],
    env: environment(work, options),
    resources,
    securityContext: restrictedContext(),
    terminationMessagePolicy: 'File',
    ...(volumes.shimFirst ? { lifecycle: { postStart: { exec: { command: INSTALL_SHIM } } } } : {}),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

function environment(work: PodWork, { volumes, installation }: AgentOptions): V1EnvVar[] {
  const values: Record<string, string> = {
    [AGENT_ENVIRONMENT.gateway]: installation.gateway,
    [AGENT_ENVIRONMENT.certificateAuthority]: installation.certificateAuthority,
    [AGENT_ENVIRONMENT.shimPort]: SHIM_PORT,
    [AGENT_ENVIRONMENT.containers]: work.containers.map(({ name }) => name).join(','),
    [AGENT_ENVIRONMENT.shimSecret]: work.shim.secret,
    ...(volumes.shared && !volumes.shimFirst ? { [AGENT_ENVIRONMENT.shimFolder]: SHIM_FOLDER } : {}),
    ...(volumes.token ? { [AGENT_ENVIRONMENT.tokenFile]: TOKEN_FILE } : {}),
    ...defined({ [AGENT_ENVIRONMENT.nonce]: work.nonce }),
  };
  return [
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
    ...Object.entries(POD_FIELDS).map(([name, fieldPath]) => ({
      name,
      valueFrom: { fieldRef: { fieldPath } },
    })),
  ];
}

/** Fields of the Pod that the kubelet sets as environment variables. */
const POD_FIELDS: Record<string, string> = {
  [AGENT_ENVIRONMENT.podName]: 'metadata.name',
  [AGENT_ENVIRONMENT.podNamespace]: 'metadata.namespace',
  [AGENT_ENVIRONMENT.podUid]: 'metadata.uid',
};

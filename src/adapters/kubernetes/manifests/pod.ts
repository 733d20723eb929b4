import type {
  V1Capabilities,
  V1Container,
  V1EnvVar,
  V1Pod,
  V1PodSpec,
  V1ResourceRequirements,
  V1SecurityContext,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import type { Placement } from '#domain/planning/place-pod.ts';
import { WORKDIR } from '#domain/planning/plan-build.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import {
  ownerReference,
  type Installation,
  type Owner,
  type PodDefaults,
  type PullPolicy,
  type TeamRules,
} from './installation.ts';
import { podResources } from './pod-resources.ts';

/** Secret of the shims' channel and each container's key made from it. Worth nothing outside the one Pod. */
export interface ShimKeys {
  secret: string;
  keyOf(container: string): string;
}

export interface PodWork {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  containers: PlanContainer[];
  /** Says what the Pod is for; the template of a CronJob cannot have one. */
  nonce?: string;
  shim: ShimKeys;
  /** Where its tags let it run, and with what. */
  placement: Placement;
  /** Backstop for agents that hang: counted from the Pod's start, image pulls included. */
  deadlineSeconds: number;
  owner?: Owner;
}

export const SERVICE_ACCOUNT = 'millrace-pods';
export const GATEWAY_AUDIENCE = 'millrace-gateway';

const AGENT = 'agent';
const PROGRAM = '/usr/local/bin/millrace-agent';
const SHIM = '/usr/local/bin/millrace-shim';
const SHIM_FOLDER = '/millrace/shim';
/** The shim has some 2 MB. */
const SHIM_FOLDER_LIMIT = '16Mi';
const TOKEN_FOLDER = '/var/run/secrets/millrace.dev';
const SHIM_PORT = '7357';
const WORKER_USER = 65_532;
const GRACE_SECONDS = 30;
const TOKEN_SECONDS = 3600;
/**
 * What package managers and servers started as root need, out of what the baseline standard lets a container
 * have.
 */
const BASELINE_CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
];

/** Autoscalers leave a node alone while such a Pod runs on it. */
const STAY = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
};

/**
 * The Pod of a build or of checks: the agent, and one container for each image. When all steps use the worker
 * image it has no volume, because any volume costs some 290 ms. Nothing secret is in it but a nonce that
 * works once and keys of its own loopback.
 */
export function pod(work: PodWork, team: TeamRules, installation: Installation): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: work.name,
      namespace: team.namespace,
      labels: work.labels,
      annotations: { ...work.annotations, ...STAY },
      ...(work.owner === undefined ? {} : { ownerReferences: [ownerReference(work.owner)] }),
    },
    spec: podSpec(work, team, installation),
  };
}

/** The same as part of a CronJob's template. */
export function podSpec(work: PodWork, team: TeamRules, installation: Installation): V1PodSpec {
  const foreign = isForeign(work);
  const token = hasToken(work);
  const resources = podResources(work.containers, team, installation.pods, work.placement);
  return {
    restartPolicy: 'Never',
    activeDeadlineSeconds: work.deadlineSeconds,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    serviceAccountName: SERVICE_ACCOUNT,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      seccompProfile: { type: 'RuntimeDefault' },
      ...(team.podSecurity === 'restricted' ? { runAsNonRoot: true } : {}),
      ...(foreign ? { fsGroup: WORKER_USER, fsGroupChangePolicy: 'OnRootMismatch' } : {}),
    },
    ...placed(work.placement),
    ...(team.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: team.imagePullSecrets }),
    containers: [
      agentContainer(work, foreign, resources.agent, installation),
      ...work.containers.map((container) =>
        stepContainer(container, {
          foreign,
          shim: work.shim,
          resources: resources.of(container),
          team,
          installation,
        }),
      ),
    ],
    ...(foreign || token ? { volumes: volumes(foreign, token, resources.workdirLimit) } : {}),
  };
}

function placed({ nodeSelector, tolerations, runtimeClassName }: Placement): Partial<V1PodSpec> {
  return {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
    ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
  };
}

/** Runs images that are not ours: they share a work directory, and the shim comes into them by a volume. */
function isForeign({ containers }: PodWork): boolean {
  return containers.some((container) => container.image !== undefined);
}

/**
 * A token that can be read in this Pod only is the better proof, and costs nothing where the Pod has volumes
 * anyway; alone it would cost a Pod without any some 290 ms (docs/adr/0004-agent-session.md).
 */
function hasToken(work: PodWork): boolean {
  return isForeign(work) || work.nonce === undefined;
}

function agentContainer(
  work: PodWork,
  foreign: boolean,
  asked: V1ResourceRequirements,
  installation: Installation,
): V1Container {
  const token = hasToken(work);
  const mounts: V1VolumeMount[] = [
    ...(foreign ? [{ name: 'workdir', mountPath: WORKDIR }] : []),
    ...(foreign ? [{ name: 'shim', mountPath: SHIM_FOLDER }] : []),
    ...(token ? [{ name: 'token', mountPath: TOKEN_FOLDER, readOnly: true }] : []),
  ];
  return {
    name: AGENT,
    image: installation.image,
    imagePullPolicy: installation.imagePullPolicy,
    command: [PROGRAM],
    env: agentEnvironment(work, foreign, installation),
    resources: asked,
    securityContext: unprivileged(),
    terminationMessagePolicy: 'File',
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

function agentEnvironment(work: PodWork, foreign: boolean, installation: Installation): V1EnvVar[] {
  const fixed: Record<string, string> = {
    [AGENT_ENVIRONMENT.gateway]: installation.gateway,
    [AGENT_ENVIRONMENT.certificateAuthority]: installation.certificateAuthority,
    [AGENT_ENVIRONMENT.shimPort]: SHIM_PORT,
    [AGENT_ENVIRONMENT.containers]: work.containers.map(({ name }) => name).join(','),
    [AGENT_ENVIRONMENT.shimSecret]: work.shim.secret,
    ...(foreign ? { [AGENT_ENVIRONMENT.shimFolder]: SHIM_FOLDER } : {}),
    ...(hasToken(work) ? { [AGENT_ENVIRONMENT.tokenFile]: `${TOKEN_FOLDER}/token` } : {}),
    ...(work.nonce === undefined ? {} : { [AGENT_ENVIRONMENT.nonce]: work.nonce }),
  };
  const told: Record<string, string> = {
    [AGENT_ENVIRONMENT.podName]: 'metadata.name',
    [AGENT_ENVIRONMENT.podNamespace]: 'metadata.namespace',
    [AGENT_ENVIRONMENT.podUid]: 'metadata.uid',
  };
  return [
    ...Object.entries(fixed).map(([name, value]) => ({ name, value })),
    ...Object.entries(told).map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } })),
  ];
}

interface StepSurroundings {
  /** The Pod runs foreign images, so it has volumes. */
  foreign: boolean;
  shim: ShimKeys;
  resources: V1ResourceRequirements;
  team: TeamRules;
  installation: Installation;
}

function stepContainer(container: PlanContainer, around: StepSurroundings): V1Container {
  const { team, installation } = around;
  const own = container.image === undefined;
  const restricted = own || team.podSecurity === 'restricted';
  const image = container.image ?? team.workerImage;
  return {
    name: container.name,
    image: image ?? installation.image,
    imagePullPolicy:
      image === undefined ? installation.imagePullPolicy : pullPolicy(image, installation.pods),
    command: own ? [SHIM] : ['/bin/sh', '-c', waitForShim()],
    workingDir: WORKDIR,
    env: [
      { name: 'MILLRACE_CONTAINER', value: container.name },
      { name: AGENT_ENVIRONMENT.shimPort, value: SHIM_PORT },
      { name: 'MILLRACE_SHIM_KEY', value: around.shim.keyOf(container.name) },
    ],
    resources: around.resources,
    securityContext: restricted ? unprivileged() : asTheImageSays(),
    ...(around.foreign
      ? {
          volumeMounts: [
            { name: 'workdir', mountPath: WORKDIR },
            ...(own ? [] : [{ name: 'shim', mountPath: SHIM_FOLDER, readOnly: true }]),
          ],
        }
      : {}),
  };
}

/**
 * A tag is asked for at the registry each time: with the copy on the node a team could run a private image
 * that another team pulled there. A digest cannot be guessed; what is on `localhost` was loaded by hand and
 * is in no registry.
 */
function pullPolicy(image: string, { imagePullPolicy }: PodDefaults): PullPolicy {
  return image.includes('@') || image.startsWith('localhost/') ? 'IfNotPresent' : imagePullPolicy;
}

/**
 * The agent puts the shim there whole, by a rename; fractions of a second are asked for where `sleep` knows
 * them.
 */
function waitForShim(): string {
  const shim = `${SHIM_FOLDER}/millrace-shim`;
  return `until [ -x ${shim} ]; do sleep 0.02 2>/dev/null || sleep 1; done; exec ${shim}`;
}

function unprivileged(): V1SecurityContext {
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    runAsUser: WORKER_USER,
    runAsGroup: WORKER_USER,
  };
}

function asTheImageSays(): V1SecurityContext {
  const capabilities: V1Capabilities = { drop: ['ALL'], add: BASELINE_CAPABILITIES };
  return { allowPrivilegeEscalation: false, capabilities };
}

function volumes(foreign: boolean, token: boolean, workdirLimit: string | undefined): V1Volume[] {
  return [
    ...(foreign
      ? [
          { name: 'workdir', emptyDir: workdirLimit === undefined ? {} : { sizeLimit: workdirLimit } },
          { name: 'shim', emptyDir: { sizeLimit: SHIM_FOLDER_LIMIT } },
        ]
      : []),
    ...(token
      ? [
          {
            name: 'token',
            projected: {
              sources: [
                {
                  serviceAccountToken: {
                    audience: GATEWAY_AUDIENCE,
                    expirationSeconds: TOKEN_SECONDS,
                    path: 'token',
                  },
                },
              ],
            },
          },
        ]
      : []),
  ];
}

import type { V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { defined } from '#defined';
import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { PodsWithUserNamespace } from '#domain/planning/user-namespaces.ts';
import { agentContainer } from './agent-container.ts';
import { ownerReference, type Installation, type TeamRules } from './installation.ts';
import { ANNOTATION } from './labels.ts';
import { podResources } from './pod-resources.ts';
import { podVolumes, volumesOf } from './pod-volumes.ts';
import type { PodWork } from './pod-work.ts';
import { WORKER_USER } from './security-context.ts';
import { stepContainer } from './step-container.ts';

/** Service account of the Pods of builds and checks, and of warm Pods. */
export const SERVICE_ACCOUNT = 'millrace-pods';

const GRACE_SECONDS = 30;

/** Annotations that keep autoscalers from removing the node of a running Pod. */
const DO_NOT_EVICT = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
};

/**
 * A Pod for a build or checks, or a warm Pod: the agent and the step containers. The Pod contains no secret
 * except keys for its own loopback and a nonce, with which only the agent of this Pod can open a session.
 */
export function pod(work: PodWork, team: TeamRules, installation: Installation): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: work.name,
      namespace: team.namespace,
      labels: work.labels,
      annotations: { ...work.annotations, ...mountReasons(work), ...DO_NOT_EVICT },
      ...(work.owner === undefined ? {} : { ownerReferences: [ownerReference(work.owner)] }),
    },
    spec: podSpec(work, team, installation),
  };
}

/**
 * The annotation that says which volumes of the Team are mounted and for what, such as `data for fs.in,
 * settings for fs.settings`.
 */
function mountReasons({ mounts = [] }: PodWork): Record<string, string> {
  if (mounts.length === 0) return {};
  const reasons = mounts.map(({ volume, resource }) => `${volume.name} for ${resource}`);
  return { [ANNOTATION.volumes]: [...new Set(reasons)].join(', ') };
}

/** The spec of the Pod. A CronJob has it in its template. */
export function podSpec(work: PodWork, team: TeamRules, installation: Installation): V1PodSpec {
  const volumes = volumesOf(work);
  const resources = podResources(work.containers, team, installation.pods, work.placement);
  const { shim } = work;
  const hasWritableVolume =
    volumes.shared || volumes.caches.length > 0 || volumes.mounts.some(({ readOnly }) => !readOnly);
  return {
    restartPolicy: 'Never',
    activeDeadlineSeconds: work.deadlineSeconds,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    serviceAccountName: SERVICE_ACCOUNT,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...userNamespace(work, installation.pods.userNamespaces),
    securityContext: {
      seccompProfile: { type: 'RuntimeDefault' },
      ...(team.podSecurity === 'restricted' ? { runAsNonRoot: true } : {}),
      ...(hasWritableVolume ? { fsGroup: WORKER_USER, fsGroupChangePolicy: 'OnRootMismatch' } : {}),
    },
    ...scheduling(work.placement),
    ...namesOfServices(work.containers),
    ...(team.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: team.imagePullSecrets }),
    containers: [
      agentContainer(work, { volumes, resources: resources.agent, installation }),
      ...work.containers.map((container) =>
        stepContainer(container, { volumes, shim, resources: resources.of(container), team, installation }),
      ),
    ],
    ...(volumes.token ? { volumes: podVolumes(volumes, resources.workdirLimit) } : {}),
  };
}

/**
 * Some volumes, such as NFS, cannot be mounted in a user namespace, and nodes do not report which ones. So
 * Pods that mount claims of the Team, and Pods with a runtime class, get a user namespace only if every Pod
 * gets one.
 */
function userNamespace(
  { placement, mounts = [] }: PodWork,
  pods: PodsWithUserNamespace = 'none',
): Pick<V1PodSpec, 'hostUsers'> {
  const isPlain =
    placement.runtimeClassName === undefined &&
    !mounts.some(({ volume }) => volume.persistentVolumeClaim !== undefined);
  const hasUserNamespace = pods === 'every-pod' || (pods === 'default-runtime' && isPlain);
  return hasUserNamespace ? { hostUsers: false } : {};
}

/** Maps the names of services to the loopback address: a service runs in the same Pod as the steps. */
function namesOfServices(containers: readonly PlanContainer[]): Pick<V1PodSpec, 'hostAliases'> {
  const names = containers.flatMap(({ service }) => service ?? []).filter((name) => HOST_NAME.test(name));
  return names.length === 0 ? {} : { hostAliases: [{ ip: '127.0.0.1', hostnames: [...new Set(names)] }] };
}

const HOST_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** On which nodes the Pod may run. */
function scheduling({ nodeSelector, tolerations, runtimeClassName }: Placement): Partial<V1PodSpec> {
  return {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
    ...defined({ runtimeClassName }),
  };
}

import type { V1Container, V1ResourceRequirements } from '@kubernetes/client-node';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import { WORKDIR } from '#domain/planning/workdir.ts';
import { SHIM, SHIM_PORT } from './agent-container.ts';
import type { Installation, PodDefaults, PullPolicy, TeamRules } from './installation.ts';
import { SHIM_FOLDER, stepMounts, type PodVolumes } from './pod-volumes.ts';
import type { ShimKeys } from './pod-work.ts';
import { baselineContext, restrictedContext } from './security-context.ts';

export interface StepOptions {
  volumes: PodVolumes;
  shim: ShimKeys;
  resources: V1ResourceRequirements;
  team: TeamRules;
  installation: Installation;
}

/** The container in which steps of one image, or a service, run. */
export function stepContainer(container: PlanContainer, options: StepOptions): V1Container {
  const { team, installation, shim, resources } = options;
  const isWorker = container.image === undefined;
  const isRestricted = isWorker || team.podSecurity === 'restricted';
  const image = container.image ?? team.workerImage;
  const mounts = stepMounts(options.volumes, container);
  return {
    name: container.name,
    image: image ?? installation.image,
    imagePullPolicy:
      image === undefined ? installation.imagePullPolicy : pullPolicy(image, installation.pods),
    command: isWorker ? [SHIM] : commandToGetShim(options.volumes),
    workingDir: WORKDIR,
    env: [
      { name: 'MILLRACE_CONTAINER', value: container.name },
      { name: AGENT_ENVIRONMENT.shimPort, value: SHIM_PORT },
      { name: 'MILLRACE_SHIM_KEY', value: shim.keyOf(container.name) },
    ],
    resources,
    securityContext: isRestricted ? restrictedContext() : baselineContext(),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

/**
 * An image that is named by a tag has the pull policy of the installation. With `IfNotPresent`, a team could
 * run a private image that another team has pulled to the node. An image that is named by a digest is pulled
 * only if the node does not have it, because nobody can guess the digest of a private image. An image on
 * `localhost` was loaded by hand and is in no registry.
 */
function pullPolicy(image: string, { imagePullPolicy }: PodDefaults): PullPolicy {
  return image.includes('@') || image.startsWith('localhost/') ? 'IfNotPresent' : imagePullPolicy;
}

const DELIVERED_SHIM = `${SHIM_FOLDER}/millrace-shim`;

/**
 * Waits until the agent has renamed the complete shim into place. The `sleep` of some images accepts only
 * whole seconds.
 */
const WAIT_FOR_SHIM = `until [ -x ${DELIVERED_SHIM} ]; do sleep 0.02 2>/dev/null || sleep 1; done; exec ${DELIVERED_SHIM}`;

/** Starts the shim in an image that does not contain it. */
function commandToGetShim({ shimFirst }: PodVolumes): string[] {
  return shimFirst ? [DELIVERED_SHIM] : ['/bin/sh', '-c', WAIT_FOR_SHIM];
}

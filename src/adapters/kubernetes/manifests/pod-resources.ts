import type { V1ResourceRequirements } from '@kubernetes/client-node';
import { defined } from '#defined';
import type { Amounts, Placement } from '#domain/planning/choose-nodes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { PodDefaults } from './installation.ts';

const DEFAULT_REQUESTS: Amounts = { cpu: '100m', memory: '128Mi' };

const STORAGE = 'ephemeral-storage';

export interface PodResources {
  /** Size limit of the work directory, the same as for each container's layer. */
  workdirLimit?: string;
  agent: V1ResourceRequirements;
  of(container: PlanContainer): V1ResourceRequirements;
}

/**
 * Requests and limits of each container of a Pod. The first step container requests the resources for the
 * whole Pod, because usually only one step runs at a time. The other containers request zero explicitly,
 * because without a request Kubernetes uses the limit as the request. Devices cannot be shared: each step
 * container with an image of its own requests them, except for gets of secret types. If there is no such
 * container, the first step container requests them. In a Pod without step containers, the agent requests the
 * resources, and nothing requests devices.
 */
export function podResources(
  containers: readonly PlanContainer[],
  team: { requests: Amounts; limits: Amounts },
  { storage }: Pick<PodDefaults, 'storage'>,
  placement: Pick<Placement, 'requests' | 'limits'>,
): PodResources {
  const [firstContainer] = containers;
  const requests = amountTexts({
    ...DEFAULT_REQUESTS,
    ...defined({ [STORAGE]: storage.request }),
    ...team.requests,
    ...placement.requests,
  });
  const limits = withStorageLimit({ ...team.limits, ...placement.limits }, storage);
  const devices = pick({ ...requests, ...limits }, isDevice);
  const sharedRequests = pick(requests, isShared);
  const sharedLimits = pick(limits, isShared);
  const zero = Object.fromEntries(
    Object.keys({ ...sharedRequests, ...sharedLimits }).map((name) => [name, '0']),
  );
  const withOwnImage = containers.filter(
    ({ image, forSecrets }) => image !== undefined && forSecrets !== true,
  );
  const deviceUsers = withOwnImage.length > 0 ? withOwnImage : containers.slice(0, 1);
  const requirements = (requestsForPod: boolean, usesDevices: boolean): V1ResourceRequirements => {
    const ownDevices = usesDevices ? devices : {};
    const ownLimits = { ...sharedLimits, ...ownDevices };
    return {
      requests: { ...zero, ...(requestsForPod ? sharedRequests : {}), ...ownDevices },
      ...(Object.keys(ownLimits).length === 0 ? {} : { limits: ownLimits }),
    };
  };
  return {
    ...(limits[STORAGE] === undefined ? {} : { workdirLimit: limits[STORAGE] }),
    agent: requirements(firstContainer === undefined, false),
    of: (container) => requirements(container === firstContainer, deviceUsers.includes(container)),
  };
}

/**
 * Adds the default storage limit if the limits have none. Without a limit, a build that fills the disk of its
 * node causes evictions of other Pods.
 */
function withStorageLimit(limits: Amounts, { limit }: PodDefaults['storage']): Record<string, string> {
  return amountTexts(limit === undefined ? limits : { [STORAGE]: limit, ...limits });
}

/** Extended resources and huge pages: Kubernetes requires equal requests and limits. */
function isDevice(name: string): boolean {
  const [domain = '', rest] = name.split('/');
  return rest === undefined ? name.startsWith('hugepages-') : !domain.endsWith('kubernetes.io');
}

function isShared(name: string): boolean {
  return !isDevice(name);
}

function pick(amounts: Record<string, string>, matches: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => matches(name)));
}

function amountTexts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

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
 * Requests and limits of each container of a Pod. Steps run one after another, so one container requests for
 * the whole Pod. The others request zero, because limits without requests become requests. Devices are
 * assigned to the containers that use them, and cannot be overcommitted.
 */
export function podResources(
  containers: readonly PlanContainer[],
  team: { requests: Amounts; limits: Amounts },
  { storage }: Pick<PodDefaults, 'storage'>,
  placement: Pick<Placement, 'requests' | 'limits'>,
): PodResources {
  const [carrier] = containers;
  const requests = text({
    ...DEFAULT_REQUESTS,
    ...defined({ [STORAGE]: storage.request }),
    ...team.requests,
    ...placement.requests,
  });
  const limits = storageLimited({ ...team.limits, ...placement.limits }, storage);
  const devices = only({ ...requests, ...limits }, isDevice);
  const sharedRequests = only(requests, isShared);
  const sharedLimits = only(limits, isShared);
  const zero = Object.fromEntries(
    Object.keys({ ...sharedRequests, ...sharedLimits }).map((name) => [name, '0']),
  );
  const foreign = containers.filter(({ image, forSecrets }) => image !== undefined && forSecrets !== true);
  const workers = foreign.length > 0 ? foreign : containers.slice(0, 1);
  const share = (carriesRequests: boolean, works: boolean): V1ResourceRequirements => {
    const own = works ? devices : {};
    const limit = { ...sharedLimits, ...own };
    return {
      requests: { ...zero, ...(carriesRequests ? sharedRequests : {}), ...own },
      ...(Object.keys(limit).length === 0 ? {} : { limits: limit }),
    };
  };
  return {
    ...(limits[STORAGE] === undefined ? {} : { workdirLimit: limits[STORAGE] }),
    agent: share(carrier === undefined, false),
    of: (container) => share(container === carrier, workers.includes(container)),
  };
}

/** Without a limit, a build that fills the disk of its node gets other Pods evicted. */
function storageLimited(limits: Amounts, { limit }: PodDefaults['storage']): Record<string, string> {
  return text(limit === undefined ? limits : { [STORAGE]: limit, ...limits });
}

/** Extended resources and huge pages: Kubernetes requires equal requests and limits. */
function isDevice(name: string): boolean {
  const [domain = '', rest] = name.split('/');
  return rest === undefined ? name.startsWith('hugepages-') : !domain.endsWith('kubernetes.io');
}

function isShared(name: string): boolean {
  return !isDevice(name);
}

function only(amounts: Record<string, string>, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => wanted(name)));
}

function text(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

import type { V1Node } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import { projectReference } from './projections.ts';

/**
 * What the start window needs to know about a node.
 */
export interface NodeProjection extends CachedObject {
  labels: Record<string, string>;
  cores: number;
  /** It is ready and nobody has cordoned it. */
  takesPods: boolean;
  /** Only Pods that tolerate its taints may run there. */
  tainted: boolean;
}

export function projectNode({ metadata = {}, spec = {}, status = {} }: Wire<V1Node>): NodeProjection {
  const { conditions: known = [], allocatable = {} } = status;
  const ready = known.some((one) => one.type === 'Ready' && one.status === 'True');
  return {
    ...projectReference({ metadata }),
    labels: metadata.labels ?? {},
    cores: coresOf(allocatable['cpu'] ?? '1'),
    takesPods: ready && spec.unschedulable !== true,
    tainted: (spec.taints ?? []).some(({ effect }) => BARRING.has(effect)),
  };
}

/** Taint effects that prevent Pods from starting. */
const BARRING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/** Parses a CPU quantity such as `4` or `3920m`. */
function coresOf(quantity: string): number {
  const amount = Number.parseFloat(quantity);
  const cores = quantity.endsWith('m') ? amount / 1000 : amount;
  return Number.isFinite(cores) ? cores : 1;
}

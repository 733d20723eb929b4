import type { V1Node } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { tagOfNodeLabel } from '#adapters/kubernetes/manifests/labels.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import type { NodeSupport } from '#domain/planning/user-namespaces.ts';
import type { NodeSelector } from '#flows/pods/ports.ts';
import { projectReference } from './projections.ts';

/**
 * The facts about a node that decide which Pods may start there, how many of them may start at a time, and
 * whether Pods get a user namespace.
 */
export interface NodeProjection extends CachedObject {
  labels: Record<string, string>;
  cores: number;
  /** The node is ready and nobody has cordoned it. */
  takesPods: boolean;
  /** Only Pods that tolerate its taints may run there. */
  tainted: boolean;
  /**
   * Undefined if the node takes no Linux Pods: it has another operating system, or somebody has cordoned it.
   */
  userNamespaces: NodeSupport | undefined;
}

export function projectNode({ metadata = {}, spec = {}, status = {} }: Wire<V1Node>): NodeProjection {
  const cordoned = spec.unschedulable === true;
  return {
    ...projectReference({ metadata }),
    labels: metadata.labels ?? {},
    cores: coresOf(status.allocatable?.['cpu'] ?? '1'),
    takesPods: isReady(status) && !cordoned,
    tainted: (spec.taints ?? []).some(({ effect }) => PREVENTING_EFFECTS.has(effect)),
    userNamespaces: cordoned ? undefined : supportOf(metadata.name, status),
  };
}

type NodeStatus = NonNullable<Wire<V1Node>['status']>;

function isReady({ conditions = [] }: NodeStatus): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function supportOf(
  name: string = '',
  { nodeInfo, runtimeHandlers = [] }: NodeStatus,
): NodeSupport | undefined {
  const { operatingSystem = 'linux', kubeletVersion = '', kernelVersion = '' } = nodeInfo ?? {};
  if (operatingSystem !== 'linux') return undefined;
  const runtime = runtimeHandlers.some(
    (handler) => (handler.name ?? '') === DEFAULT_HANDLER && handler.features?.userNamespaces === true,
  );
  return { name, kubelet: kubeletVersion, kernel: kernelVersion, runtime };
}

/** The runtime handler of Pods without a runtime class has no name. */
const DEFAULT_HANDLER = '';

/** Taint effects that prevent Pods from starting. */
const PREVENTING_EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/** Parses a CPU quantity such as `4` or `3920m`; 1 if it is not a number. */
function coresOf(quantity: string): number {
  const amount = Number.parseFloat(quantity);
  const cores = quantity.endsWith('m') ? amount / 1000 : amount;
  return Number.isFinite(cores) ? cores : 1;
}

/**
 * The nodes that match the selector and take Pods. A tainted node matches only a selector that is not empty,
 * because Pods without tags get no tolerations.
 */
export function matchingNodes(nodes: readonly NodeProjection[], selector: NodeSelector): NodeProjection[] {
  const requiredLabels = Object.entries(selector);
  return nodes.filter(
    ({ takesPods, tainted, labels }) =>
      takesPods &&
      (!tainted || requiredLabels.length > 0) &&
      requiredLabels.every(([label, value]) => labels[label] === value),
  );
}

/** The tags whose label at least one node has. */
export function labelledTags(nodes: readonly NodeProjection[]): string[] {
  const labels = nodes.flatMap((node) => Object.entries(node.labels));
  return [
    ...new Set(labels.flatMap(([label, value]) => (value === 'true' ? (tagOfNodeLabel(label) ?? []) : []))),
  ];
}

/*
 * With a user namespace, the user IDs of a Pod are other IDs on its node: root in a container is not a user
 * of the node. A Pod with a user namespace never starts on a node without support for it.
 */

export const USER_NAMESPACE_SETTINGS = ['auto', 'always', 'never'] as const;
export type UserNamespaceSetting = (typeof USER_NAMESPACE_SETTINGS)[number];

/**
 * Which Pods get a user namespace. `default-runtime`: those without a `runtimeClassName`. A node reports what
 * each of its runtime handlers supports, but not which handler a RuntimeClass names.
 */
export type PodsWithUserNamespace = 'none' | 'default-runtime' | 'every-pod';

/** What a node reports about user namespaces. */
export interface NodeSupport {
  name: string;
  /** Version, such as `v1.36.3`. */
  kubelet: string;
  /** Version, such as `6.12.9-generic`. */
  kernel: string;
  /** The default runtime handler of the node supports user namespaces. */
  runtime: boolean;
}

export interface UserNamespaceDecision {
  pods: PodsWithUserNamespace;
  reason: 'Always' | 'Never' | 'NoNodeKnown' | 'NodeWithoutSupport' | 'AllNodesSupport';
  message: string;
}

type Version = readonly [major: number, minor: number];

/** The first version that supports user namespaces by default. */
const OLDEST_KUBELET: Version = [1, 33];
/** The first version with idmapped mounts of tmpfs, where tokens and Secrets are. */
const OLDEST_KERNEL: Version = [6, 3];

/**
 * `nodes`: the Linux nodes that are not cordoned, including those that are not ready, because they may be
 * ready again soon.
 */
export function decideUserNamespaces(
  setting: UserNamespaceSetting,
  nodes: readonly NodeSupport[],
): UserNamespaceDecision {
  if (setting === 'always')
    return { pods: 'every-pod', reason: 'Always', message: 'Each Pod gets a user namespace, as set.' };
  if (setting === 'never')
    return { pods: 'none', reason: 'Never', message: 'No Pod gets a user namespace, as set.' };
  if (nodes.length === 0) {
    const message = 'No Pod gets a user namespace: the operator knows no Linux node that takes Pods.';
    return { pods: 'none', reason: 'NoNodeKnown', message };
  }
  for (const node of nodes) {
    const problem = problemOf(node);
    if (problem === undefined) continue;
    const message = `No Pod gets a user namespace: ${problem}.`;
    return { pods: 'none', reason: 'NodeWithoutSupport', message };
  }
  const message =
    'Pods get a user namespace: all Linux nodes support it. Pods with a runtime class get none.';
  return { pods: 'default-runtime', reason: 'AllNodesSupport', message };
}

function problemOf({ name, kubelet, kernel, runtime }: NodeSupport): string | undefined {
  if (!isAtLeast(kubelet, OLDEST_KUBELET))
    return `the kubelet of node ${name} is ${kubelet}, older than v${OLDEST_KUBELET.join('.')}`;
  if (!isAtLeast(kernel, OLDEST_KERNEL))
    return `the kernel of node ${name} is ${kernel}, older than ${OLDEST_KERNEL.join('.')}`;
  return runtime ? undefined : `the container runtime of node ${name} does not support it`;
}

/** False if the text is not a version. */
function isAtLeast(version: string, [major, minor]: Version): boolean {
  const [, foundMajor = '0', foundMinor = '0'] = /^v?(\d{1,6})\.(\d{1,6})/.exec(version) ?? [];
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor);
}

import { describe, expect, test } from '@jest/globals';
import { decideUserNamespaces, type NodeSupport } from './user-namespaces.ts';

const supported: NodeSupport = { name: 'a', kubelet: 'v1.33.0', kernel: '6.3.0-1-generic', runtime: true };

const CASES: Record<string, [nodes: NodeSupport[], pods: string, reason: string, message: RegExp]> = {
  'all nodes support user namespaces': [
    [supported, { ...supported, name: 'b', kubelet: 'v2.0.1-gke.1', kernel: '7.0' }],
    'default-runtime',
    'AllNodesSupport',
    /all Linux nodes support it/,
  ],
  'the operator knows no node': [[], 'none', 'NoNodeKnown', /knows no Linux node/],
  'one kubelet is too old': [
    [supported, { ...supported, name: 'b', kubelet: 'v1.32.9' }],
    'none',
    'NodeWithoutSupport',
    /the kubelet of node b is v1\.32\.9, older than v1\.33/,
  ],
  'one kernel is too old': [
    [supported, { ...supported, name: 'b', kernel: '5.14.0-570.el9' }],
    'none',
    'NodeWithoutSupport',
    /the kernel of node b is 5\.14\.0-570\.el9, older than 6\.3/,
  ],
  'one runtime has no support': [
    [supported, { ...supported, name: 'b', runtime: false }],
    'none',
    'NodeWithoutSupport',
    /the container runtime of node b does not support it/,
  ],
  'a version cannot be read': [
    [{ ...supported, kubelet: 'unknown' }],
    'none',
    'NodeWithoutSupport',
    /is unknown/,
  ],
};

describe('user namespaces with the setting auto', () => {
  test.each(Object.entries(CASES))('depend on the nodes: %s', (_, [nodes, pods, reason, message]) => {
    const decision = decideUserNamespaces('auto', nodes);
    expect(decision).toMatchObject({ pods, reason });
    expect(decision.message).toMatch(message);
  });
});

test('the settings always and never do not depend on the nodes', () => {
  expect(decideUserNamespaces('always', [{ ...supported, runtime: false }])).toMatchObject({
    pods: 'every-pod',
  });
  expect(decideUserNamespaces('never', [supported])).toMatchObject({ pods: 'none', reason: 'Never' });
});

import { describe, expect, test } from '@jest/globals';
import { decideUserNamespaces, type NodeSupport } from './user-namespaces.ts';

const good: NodeSupport = { name: 'a', kubelet: 'v1.33.0', kernel: '6.3.0-1-generic', runtime: true };

const CASES: Record<string, [nodes: NodeSupport[], pods: string, reason: string, message: RegExp]> = {
  'all nodes support it': [
    [good, { ...good, name: 'b', kubelet: 'v2.0.1-gke.1', kernel: '7.0' }],
    'default-runtime',
    'AllNodesSupport',
    /all Linux nodes support it/,
  ],
  'the operator knows no node': [[], 'none', 'NoNodeKnown', /knows no Linux node/],
  'one kubelet is too old': [
    [good, { ...good, name: 'b', kubelet: 'v1.32.9' }],
    'none',
    'NodeWithoutSupport',
    /the kubelet of node b is v1\.32\.9, older than v1\.33/,
  ],
  'one kernel is too old': [
    [good, { ...good, name: 'b', kernel: '5.14.0-570.el9' }],
    'none',
    'NodeWithoutSupport',
    /the kernel of node b is 5\.14\.0-570\.el9, older than 6\.3/,
  ],
  'one runtime has no support': [
    [good, { ...good, name: 'b', runtime: false }],
    'none',
    'NodeWithoutSupport',
    /the container runtime of node b does not support it/,
  ],
  'a version cannot be read': [[{ ...good, kubelet: 'unknown' }], 'none', 'NodeWithoutSupport', /is unknown/],
};

describe('user namespaces with the setting auto', () => {
  test.each(Object.entries(CASES))('are decided if %s', (_, [nodes, pods, reason, message]) => {
    const decided = decideUserNamespaces('auto', nodes);
    expect(decided).toMatchObject({ pods, reason });
    expect(decided.message).toMatch(message);
  });
});

test('the settings always and never ask no node', () => {
  expect(decideUserNamespaces('always', [{ ...good, runtime: false }])).toMatchObject({ pods: 'every-pod' });
  expect(decideUserNamespaces('never', [good])).toMatchObject({ pods: 'none', reason: 'Never' });
});

import { expect, test } from '@jest/globals';
import type { NodeSupport } from '#domain/planning/user-namespaces.ts';
import { UserNamespaces } from './user-namespaces.ts';

const good: NodeSupport = { name: 'a', kubelet: 'v1.36.3', kernel: '6.18.44', runtime: true };

test('a change of nodes renews the Pod templates only if other Pods get a user namespace', () => {
  const effects: string[] = [];
  let nodes: NodeSupport[] = [];
  const namespaces = new UserNamespaces({
    setting: 'auto',
    nodes: () => nodes,
    changed: () => effects.push('templates'),
    log: { info: (_: unknown, message?: string) => void effects.push(message ?? '') },
  });
  const change = (...next: NodeSupport[]): string => {
    nodes = next;
    namespaces.nodesChanged();
    return namespaces.pods;
  };
  expect(namespaces.pods).toBe('none');
  expect(change(good)).toBe('default-runtime');
  expect(effects.splice(0)).toEqual([expect.stringContaining('all Linux nodes support it'), 'templates']);
  expect(change(good, { ...good, name: 'b' })).toBe('default-runtime');
  expect(effects.splice(0)).toEqual([]);
  expect(change({ ...good, runtime: false })).toBe('none');
  expect(effects.splice(0)).toEqual([expect.stringContaining('container runtime of node a'), 'templates']);
  expect(change({ ...good, kernel: '5.4.0' })).toBe('none');
  expect(effects.splice(0)).toEqual([expect.stringContaining('kernel of node a')]);
});

import { describe, expect, test } from '@jest/globals';
import type { V1Node } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { projectNode } from './node-projection.ts';

type Status = NonNullable<Wire<V1Node>['status']>;

const nodeInfo = { operatingSystem: 'linux', kubeletVersion: 'v1.36.3', kernelVersion: '6.18.44' };
const handlers = (features: object): Status =>
  JSON.parse(
    JSON.stringify({
      nodeInfo,
      runtimeHandlers: [
        { name: '', features },
        { name: 'other', features: { userNamespaces: true } },
      ],
    }),
  );

const supportOf = (status: Status, unschedulable = false): unknown =>
  projectNode({ metadata: { name: 'a' }, spec: { unschedulable }, status }).userNamespaces;

describe('what a node reports about user namespaces', () => {
  const nodeFacts = { name: 'a', kubelet: 'v1.36.3', kernel: '6.18.44' };

  test('is that of its default runtime handler', () => {
    expect(supportOf(handlers({ userNamespaces: true }))).toEqual({ ...nodeFacts, runtime: true });
    expect(supportOf(handlers({}))).toEqual({ ...nodeFacts, runtime: false });
  });

  test('is no support if the node reports no runtime handlers', () => {
    const status: Status = JSON.parse(JSON.stringify({ nodeInfo }));
    expect(supportOf(status)).toEqual({ ...nodeFacts, runtime: false });
  });

  test('does not count if the node is cordoned or runs Windows', () => {
    const windows: Status = JSON.parse(
      JSON.stringify({ nodeInfo: { ...nodeInfo, operatingSystem: 'windows' } }),
    );
    expect(supportOf(handlers({ userNamespaces: true }), true)).toBeUndefined();
    expect(supportOf(windows)).toBeUndefined();
  });
});

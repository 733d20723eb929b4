import { describe, expect, test } from '@jest/globals';
import type { V1Node } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { labelledTags, matchingNodes, projectNode, type NodeProjection } from './node-projection.ts';

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

  test('does not count as support if the node reports no runtime handlers', () => {
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

describe('the nodes for a selector', () => {
  const ready: Status = JSON.parse('{"conditions":[{"type":"Ready","status":"True"}]}');
  const nodeOf = (name: string, labels: Record<string, string>, spec = {}): NodeProjection =>
    projectNode({ metadata: { name, labels }, spec, status: ready });
  const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
  const nodes = [
    nodeOf('plain', {}),
    nodeOf('gpu', { 'millrace.dev/tag-gpu': 'true', pool: 'gpu' }, { taints }),
    nodeOf('cordoned', { 'millrace.dev/tag-gpu': 'true' }, { unschedulable: true }),
    nodeOf('unwanted', { 'millrace.dev/tag-arm': 'false', 'millrace.dev/tagged': 'true' }),
  ];
  const namesFor = (selector: Record<string, string>): string[] =>
    matchingNodes(nodes, selector).map(({ name }) => name);

  test('without labels are those that are ready, not cordoned and without taints', () => {
    expect(namesFor({})).toEqual(['plain', 'unwanted']);
  });

  test('with labels may have taints', () => {
    expect(namesFor({ pool: 'gpu' })).toEqual(['gpu']);
    expect(namesFor({ 'millrace.dev/tag-gpu': 'true' })).toEqual(['gpu']);
  });

  test('offer the tags of their labels with the value true', () => {
    expect(labelledTags(nodes)).toEqual(['gpu']);
  });
});

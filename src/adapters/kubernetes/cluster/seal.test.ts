import { expect, test } from '@jest/globals';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import { isSealed, withSeal } from './seal.ts';

const KEY = Buffer.alloc(32, 1);
const pod = {
  metadata: {
    namespace: 'blue',
    name: 'app-unit-1-1',
    labels: { [LABEL.kind]: 'build', [LABEL.buildId]: '41', [LABEL.attempt]: '1' },
    annotations: { other: 'stays' },
  },
};
const sealed = withSeal(KEY, pod);

test('a sealed Pod keeps its contents, and its seal is valid', () => {
  expect(isSealed(KEY, sealed)).toBe(true);
  expect(sealed).toMatchObject(pod);
});

test.each<[string, object]>([
  ['a copy under another name', { name: 'copy' }],
  ['a copy in another namespace', { namespace: 'red' }],
  ['a copy for another build', { labels: { ...pod.metadata.labels, [LABEL.buildId]: '42' } }],
  ['a copy for another attempt', { labels: { ...pod.metadata.labels, [LABEL.attempt]: '2' } }],
  ['a copy for a check', { labels: { [LABEL.kind]: 'check', [LABEL.pipelineId]: '41', [LABEL.run]: '41' } }],
  ['a copy without its labels', { labels: {} }],
  ['a copy without the seal', { annotations: {} }],
])('%s has no valid seal', (_, changes) => {
  expect(isSealed(KEY, { ...sealed, metadata: { ...sealed.metadata, ...changes } })).toBe(false);
});

test('a seal is invalid under another key', () => {
  expect(isSealed(Buffer.alloc(32, 2), sealed)).toBe(false);
});

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

test('a Pod that we sealed keeps what it had and is known again', () => {
  expect(isSealed(KEY, sealed)).toBe(true);
  expect(sealed).toMatchObject(pod);
});

test.each<[string, object]>([
  ['under another name', { name: 'copy' }],
  ['in another namespace', { namespace: 'red' }],
  ['for another build', { labels: { ...pod.metadata.labels, [LABEL.buildId]: '42' } }],
  ['for another attempt', { labels: { ...pod.metadata.labels, [LABEL.attempt]: '2' } }],
  ['for a check', { labels: { [LABEL.kind]: 'check', [LABEL.pipelineId]: '41', [LABEL.run]: '41' } }],
  ['without its labels', { labels: {} }],
  ['without the seal', { annotations: {} }],
])('a copy %s is not sealed', (_, more) => {
  expect(isSealed(KEY, { ...sealed, metadata: { ...sealed.metadata, ...more } })).toBe(false);
});

test('another key does not know the seal', () => {
  expect(isSealed(Buffer.alloc(32, 2), sealed)).toBe(false);
});

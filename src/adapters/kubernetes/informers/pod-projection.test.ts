import { expect, test } from '@jest/globals';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import { projectPod } from './pod-projection.ts';

const [created, scheduled, deleted] = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:40:00Z',
  '2026-01-01T01:00:00Z',
];

function factsOf(status: 'True' | 'False', deletionTimestamp?: string): unknown {
  const labels = { [LABEL.kind]: 'build', [LABEL.buildId]: '1', [LABEL.attempt]: '1' };
  const metadata = {
    labels,
    creationTimestamp: created,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
  const conditions = [{ type: 'PodScheduled', status, lastTransitionTime: scheduled }];
  return projectPod({ metadata, status: { conditions } }, true).facts;
}

test('the projection of a Pod has the times of its scheduling and of its deletion', () => {
  expect(factsOf('True', deleted)).toMatchObject({
    createdAt: new Date(created),
    scheduledAt: new Date(scheduled),
    deleting: true,
    deletedAt: new Date(deleted),
  });
});

test('the projection of a Pod without a node has no time of scheduling', () => {
  expect(factsOf('False')).not.toHaveProperty('scheduledAt');
});

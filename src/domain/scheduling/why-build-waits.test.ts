import { expect, test } from '@jest/globals';
import type { Reason } from './reasons.ts';
import { whyBuildWaits, type WaitingBuild } from './why-build-waits.ts';

const held: Reason = { code: 'TeamLimit', message: 'Full.' };
const pending: WaitingBuild = { status: 'pending', gate: { approvals: 2 }, votes: [], held: [], tags: [] };

test.each<[string, WaitingBuild, string[]]>([
  [
    'a build that waits for approval says for how many people',
    { ...pending, status: 'waiting', votes: [{ by: 'bob', approve: true }] },
    ['WaitingForApproval Waiting for approval: 1 of 2.'],
  ],
  [
    'a build that waits for its turn says what it waits for',
    { ...pending, held: [held] },
    ['TeamLimit Full.'],
  ],
  ['a build without a Pod says so', pending, ['PodPending Its Pod is not running yet.']],
  [
    'a refused Pod says why',
    { ...pending, pendingReason: 'QuotaExceeded: pods "b-1" is forbidden: exceeded quota' },
    ['QuotaExceeded pods "b-1" is forbidden: exceeded quota'],
  ],
  [
    'a tag that the team may not use is reported, not a lack of nodes',
    { ...pending, pendingReason: 'TagNotAllowed: Team blue does not allow the tag gpu.', tags: ['gpu'] },
    ['TagNotAllowed Team blue does not allow the tag gpu.'],
  ],
  [
    'an image that cannot be pulled is reported',
    { ...pending, pendingReason: 'ImagePullFailed: The container agent does not start: ErrImagePull' },
    ['ImagePullFailed The container agent does not start: ErrImagePull'],
  ],
  [
    'the reason names tags that no node offers',
    { ...pending, pendingReason: 'Unschedulable: 0/1 nodes are available.', tags: ['gpu', 'arm'] },
    ['NoNodeForTags No node that offers the tags gpu and arm can take the Pod: 0/1 nodes are available.'],
  ],
  [
    'a cluster that is full is reported for a build without tags',
    { ...pending, pendingReason: 'Unschedulable: 0/1 nodes are available.' },
    ['Unschedulable 0/1 nodes are available.'],
  ],
  [
    'a message without a code is shown unchanged',
    { ...pending, pendingReason: 'PodLost' },
    ['PodPending PodLost'],
  ],
  ['a build that runs waits for nothing', { ...pending, status: 'started' }, []],
])('%s', (_, build, expected) => {
  expect(whyBuildWaits(build).map(({ code, message }) => `${code} ${message}`)).toEqual(expected);
});

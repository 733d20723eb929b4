import { expect, test } from '@jest/globals';
import type { Reason } from './reasons.ts';
import { whyBuildWaits, type WaitingBuild } from './why-build-waits.ts';

const held: Reason = { code: 'TeamLimit', message: 'Full.' };
const pending: WaitingBuild = { status: 'pending', gate: { approvals: 2 }, votes: [], held: [], tags: [] };

test.each<[string, WaitingBuild, string[]]>([
  [
    'a build that waits for people says for how many',
    { ...pending, status: 'waiting', votes: [{ by: 'bob', approve: true }] },
    ['WaitingForApproval Waiting for approval: 1 of 2.'],
  ],
  [
    'a build that has not had its turn says what it waits for',
    { ...pending, held: [held] },
    ['TeamLimit Full.'],
  ],
  ['a build whose Pod is not there yet says so', pending, ['PodPending Its Pod is not running yet.']],
  [
    'a refused Pod says why',
    { ...pending, pod: 'QuotaExceeded: pods "b-1" is forbidden: exceeded quota' },
    ['QuotaExceeded pods "b-1" is forbidden: exceeded quota'],
  ],
  [
    'a tag that the team may not use is told, and not mistaken for a lack of nodes',
    { ...pending, pod: 'TagNotAllowed: Team blue does not allow the tag gpu.', tags: ['gpu'] },
    ['TagNotAllowed Team blue does not allow the tag gpu.'],
  ],
  [
    'an image that does not come is told',
    { ...pending, pod: 'ImagePullFailed: The container agent does not start: ErrImagePull' },
    ['ImagePullFailed The container agent does not start: ErrImagePull'],
  ],
  [
    'tags that no node offers are named',
    { ...pending, pod: 'Unschedulable: 0/1 nodes are available.', tags: ['gpu', 'arm'] },
    ['NoNodeForTags No node that offers the tags gpu and arm can take the Pod: 0/1 nodes are available.'],
  ],
  [
    'without tags it is only full',
    { ...pending, pod: 'Unschedulable: 0/1 nodes are available.' },
    ['Unschedulable 0/1 nodes are available.'],
  ],
  ['words that are no code are shown as they are', { ...pending, pod: 'PodLost' }, ['PodPending PodLost']],
  ['a build that runs waits for nothing', { ...pending, status: 'started' }, []],
])('%s', (_, build, expected) => {
  expect(whyBuildWaits(build).map(({ code, message }) => `${code} ${message}`)).toEqual(expected);
});

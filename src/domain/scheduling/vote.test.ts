import { expect, test } from '@jest/globals';
import { approvalExpiresAt, decideVote } from './vote.ts';

test('an approval expires after its timeout, and never expires without one', () => {
  expect(approvalExpiresAt({ approvals: 1, timeoutSeconds: 60 }, 5000)).toBe(65_000);
  expect(approvalExpiresAt({ approvals: 1 }, 5000)).toBeUndefined();
});

test('a rejection needs a reason and shows it', () => {
  const build = { status: 'waiting' as const, gate: { approvals: 1 }, votes: [] };
  expect(decideVote(build, { by: 'eve', approve: false, message: ' ' })).toMatchObject({
    reason: { code: 'ReasonMissing' },
  });
  expect(decideVote(build, { by: 'eve', approve: false, message: 'Not today.' })).toEqual({
    answer: 'rejected',
    message: 'Rejected by eve: Not today.',
  });
});

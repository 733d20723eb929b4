import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { podOwnership, wasRecordedPod, type PodIdentity, type RecordedPod } from './pod-ownership.ts';

const pod = (more: Partial<PodIdentity> = {}): PodIdentity => ({
  namespace: 'blue',
  uid: 'u1',
  sealed: false,
  ...more,
});
const recordedPod = (more: Partial<RecordedPod> = {}): RecordedPod => ({
  namespace: 'blue',
  isExpected: true,
  ...more,
});

describe('a Pod', () => {
  test.each<[string, PodIdentity, RecordedPod | undefined, string]>([
    ['with the recorded uid belongs to the build', pod(), recordedPod({ uid: 'u1' }), 'own'],
    [
      'with the recorded uid belongs to the build after its end',
      pod(),
      recordedPod({ uid: 'u1', isExpected: false }),
      'own',
    ],
    [
      'with our seal belongs to the build before its uid is recorded',
      pod({ sealed: true }),
      recordedPod(),
      'own',
    ],
    ['with another uid than the recorded one is foreign', pod(), recordedPod({ uid: 'u2' }), 'OtherPod'],
    [
      'with the recorded uid in another namespace is foreign',
      pod({ namespace: 'red' }),
      recordedPod({ uid: 'u1' }),
      'OtherNamespace',
    ],
    [
      'in another namespace is foreign while no uid is recorded',
      pod({ namespace: 'red' }),
      recordedPod(),
      'OtherNamespace',
    ],
    ['without our seal is foreign while no uid is recorded', pod(), recordedPod(), 'NotSealed'],
    [
      'for a build that waits for approval, its turn or a slot is foreign',
      pod(),
      recordedPod({ isExpected: false }),
      'NoPodGiven',
    ],
    ['for work that does not exist is foreign', pod(), undefined, 'UnknownWork'],
    [
      'with our seal can be removed if its build ended before its uid was recorded',
      pod({ sealed: true }),
      recordedPod({ isExpected: false }),
      'leftover',
    ],
    ['with our seal can be removed if its build is unknown', pod({ sealed: true }), undefined, 'leftover'],
    [
      'with our seal can be removed if another uid is recorded',
      pod({ sealed: true }),
      recordedPod({ uid: 'u2' }),
      'leftover',
    ],
  ])('%s', (_, seen, recorded, verdict) => {
    const answer = podOwnership(seen, recorded);
    expect(answer.verdict === 'foreign' ? answer.reason : answer.verdict).toBe(verdict);
  });

  test('that is foreign gets the reason in a sentence', () => {
    expect(podOwnership(pod({ namespace: 'red' }), recordedPod())).toEqual({
      verdict: 'foreign',
      reason: 'OtherNamespace',
      message:
        'Millrace did not create this Pod and ignores it: its labels name a build or check of another namespace.',
    });
  });
});

describe('a Pod that is gone', () => {
  test.each<[string, PodIdentity, RecordedPod | undefined, boolean]>([
    ['counts for its build if its uid is the recorded one', pod(), recordedPod({ uid: 'u1' }), true],
    ['does not count if no uid is recorded, sealed or not', pod({ sealed: true }), recordedPod(), false],
    ['does not count if another uid is recorded', pod({ sealed: true }), recordedPod({ uid: 'u2' }), false],
    ['does not count from another namespace', pod({ namespace: 'red' }), recordedPod({ uid: 'u1' }), false],
    ['does not count for unknown work', pod({ sealed: true }), undefined, false],
  ])('%s', (_, last, recorded, counts) => {
    expect(wasRecordedPod(last, recorded)).toBe(counts);
  });
});

test('only a recorded uid or our seal in the right namespace makes any Pod the build’s own', () => {
  const word = fc.constantFrom('blue', 'red', 'u1', 'u2');
  const seen = fc.record({ namespace: word, uid: word, sealed: fc.boolean() });
  const recorded = fc.option(
    fc.record({ namespace: word, isExpected: fc.boolean(), uid: fc.option(word, { nil: undefined }) }),
    { nil: undefined },
  );
  fc.assert(
    fc.property(
      seen,
      recorded,
      (seenPod, { uid, ...record } = { namespace: '', isExpected: false, uid: undefined }) => {
        const answer = podOwnership(seenPod, { ...record, ...(uid === undefined ? {} : { uid }) });
        if (answer.verdict !== 'own') return;
        expect(seenPod.namespace).toBe(record.namespace);
        expect(uid === undefined ? seenPod.sealed && record.isExpected : seenPod.uid === uid).toBe(true);
      },
    ),
  );
});

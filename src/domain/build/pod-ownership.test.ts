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
    expect(podOwnership(seen, recorded).verdict).toBe(verdict);
  });
});

describe('a Pod without our seal is foreign', () => {
  test.each<[string, PodIdentity, RecordedPod | undefined, string]>([
    ['if another uid is recorded', pod(), recordedPod({ uid: 'u2' }), 'OtherPod'],
    [
      'with the recorded uid in another namespace',
      pod({ namespace: 'red' }),
      recordedPod({ uid: 'u1' }),
      'OtherNamespace',
    ],
    [
      'in another namespace while no uid is recorded',
      pod({ namespace: 'red' }),
      recordedPod(),
      'OtherNamespace',
    ],
    ['while no uid is recorded', pod(), recordedPod(), 'NotSealed'],
    [
      'for a build that waits for approval, its turn or a slot',
      pod(),
      recordedPod({ isExpected: false }),
      'NoPodExpected',
    ],
    ['for work that does not exist', pod(), undefined, 'UnknownWork'],
  ])('%s', (_, seen, recorded, reason) => {
    expect(podOwnership(seen, recorded)).toMatchObject({ verdict: 'foreign', reason });
  });

  test('and gets a message with the reason', () => {
    expect(podOwnership(pod({ namespace: 'red' }), recordedPod())).toEqual({
      verdict: 'foreign',
      reason: 'OtherNamespace',
      message: 'Millrace did not create this Pod and ignores it: its labels name work of another namespace.',
    });
  });
});

describe('a deleted Pod', () => {
  test.each<[string, PodIdentity, RecordedPod | undefined, boolean]>([
    ['is the recorded one if its uid is recorded', pod(), recordedPod({ uid: 'u1' }), true],
    [
      'is not the recorded one if no uid is recorded, even with our seal',
      pod({ sealed: true }),
      recordedPod(),
      false,
    ],
    [
      'is not the recorded one if another uid is recorded',
      pod({ sealed: true }),
      recordedPod({ uid: 'u2' }),
      false,
    ],
    [
      'is not the recorded one if it is from another namespace',
      pod({ namespace: 'red' }),
      recordedPod({ uid: 'u1' }),
      false,
    ],
    ['is not the recorded one if the work is unknown', pod({ sealed: true }), undefined, false],
  ])('%s', (_, last, recorded, isRecorded) => {
    expect(wasRecordedPod(last, recorded)).toBe(isRecorded);
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

/** What the cluster shows of a Pod. Its creator can choose everything but `uid` and `namespace`. */
export interface PodIdentity {
  namespace: string;
  uid: string;
  /**
   * It has a valid seal for its namespace, its name and the work in its labels: Millrace created a Pod of
   * that name.
   */
  sealed: boolean;
}

/** The Pod that the database records for an attempt of a build, or for a run of checks or hooks. */
export interface RecordedPod {
  namespace: string;
  /** Recorded when the API server had created the Pod, or when the gateway had verified its agent. */
  uid?: string;
  /** A Pod is expected: this is the current attempt, it had its turn, and it has not ended. */
  going: boolean;
}

type ForeignReason = 'UnknownWork' | 'OtherNamespace' | 'OtherPod' | 'NoPodGiven' | 'NotSealed';

export type Ownership =
  | { verdict: 'own' }
  /** Millrace created it, but its work has ended, is unknown or has another Pod. It may only be removed. */
  | { verdict: 'leftover' }
  /** Somebody else created it. Millrace must not remove it. */
  | { verdict: 'foreign'; reason: ForeignReason; message: string };

/**
 * Whether a Pod is the one of its work. Anyone who may create Pods can choose labels, names and termination
 * messages, so none of these is proof. The recorded uid is, or the seal while no uid is recorded.
 */
export function podOwnership(pod: PodIdentity, given: RecordedPod | undefined): Ownership {
  if (given?.namespace === pod.namespace && isGiven(pod, given)) return { verdict: 'own' };
  return pod.sealed ? { verdict: 'leftover' } : foreign(pod, given);
}

/** A deleted Pod only counts if it is the recorded one: its seal can no longer be checked. */
export function wasRecordedPod({ namespace, uid }: PodIdentity, given: RecordedPod | undefined): boolean {
  return given !== undefined && given.namespace === namespace && given.uid === uid;
}

function isGiven({ uid, sealed }: PodIdentity, given: RecordedPod): boolean {
  return given.uid === undefined ? given.going && sealed : given.uid === uid;
}

function foreign(pod: PodIdentity, given: RecordedPod | undefined): Ownership & { verdict: 'foreign' } {
  const reason = foreignReason(pod, given);
  const why = WHY[reason];
  return {
    verdict: 'foreign',
    reason,
    message: `Millrace did not create this Pod and ignores it: ${why}.`,
  };
}

function foreignReason(pod: PodIdentity, given: RecordedPod | undefined): ForeignReason {
  if (given === undefined) return 'UnknownWork';
  if (given.namespace !== pod.namespace) return 'OtherNamespace';
  if (given.uid !== undefined) return 'OtherPod';
  return given.going ? 'NotSealed' : 'NoPodGiven';
}

const WHY: Record<ForeignReason, string> = {
  UnknownWork: 'its labels name a build or check that does not exist',
  OtherNamespace: 'its labels name a build or check of another namespace',
  OtherPod: 'its labels name a build or check that has another Pod',
  NoPodGiven: 'its labels name a build or check that has no Pod',
  NotSealed: 'it lacks the seal of the Pod that its labels name',
};

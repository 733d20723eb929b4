/** What identifies a Pod in the cluster. */
export interface PodIdentity {
  namespace: string;
  uid: string;
  /**
   * The Pod has a valid seal for its namespace, its name and the work that its labels name. The seal proves
   * that Millrace created a Pod with this name for this work.
   */
  sealed: boolean;
}

/**
 * The Pod that the database records for an attempt of a build, for a run of checks or hooks, or as a warm
 * Pod.
 */
export interface RecordedPod {
  namespace: string;
  /**
   * UID of the Pod. Absent until the API server has created the Pod, or the gateway has verified its agent.
   */
  uid?: string;
  /**
   * The work should have a Pod: the attempt is the current one, the build has had its turn, and it has not
   * ended.
   */
  isExpected: boolean;
}

type ForeignReason = 'UnknownWork' | 'OtherNamespace' | 'OtherPod' | 'NoPodExpected' | 'NotSealed';

export type Ownership =
  | { verdict: 'own' }
  /**
   * Millrace created the Pod, but the work has ended, is unknown or has another Pod. Millrace may only delete
   * the Pod.
   */
  | { verdict: 'leftover' }
  /** Somebody else created the Pod. Millrace must ignore it and must not delete it. */
  | { verdict: 'foreign'; reason: ForeignReason; message: string };

/**
 * Whether a Pod belongs to the work that its labels name. Anyone who may create Pods can choose labels, names
 * and termination messages, so these prove nothing. The recorded UID is the proof or, if no UID is recorded
 * yet, the seal.
 */
export function podOwnership(pod: PodIdentity, recorded: RecordedPod | undefined): Ownership {
  if (recorded?.namespace === pod.namespace && isOwnPod(pod, recorded)) return { verdict: 'own' };
  return pod.sealed ? { verdict: 'leftover' } : foreign(pod, recorded);
}

/**
 * Whether a deleted Pod is the recorded one. The seal does not count here, because the seal of a deleted Pod
 * cannot be checked.
 */
export function wasRecordedPod({ namespace, uid }: PodIdentity, recorded: RecordedPod | undefined): boolean {
  return recorded !== undefined && recorded.namespace === namespace && recorded.uid === uid;
}

function isOwnPod({ uid, sealed }: PodIdentity, recorded: RecordedPod): boolean {
  return recorded.uid === undefined ? recorded.isExpected && sealed : recorded.uid === uid;
}

function foreign(pod: PodIdentity, recorded: RecordedPod | undefined): Ownership & { verdict: 'foreign' } {
  const reason = foreignReason(pod, recorded);
  const why = EXPLANATIONS[reason];
  return {
    verdict: 'foreign',
    reason,
    message: `Millrace did not create this Pod and ignores it: ${why}.`,
  };
}

function foreignReason(pod: PodIdentity, recorded: RecordedPod | undefined): ForeignReason {
  if (recorded === undefined) return 'UnknownWork';
  if (recorded.namespace !== pod.namespace) return 'OtherNamespace';
  if (recorded.uid !== undefined) return 'OtherPod';
  return recorded.isExpected ? 'NotSealed' : 'NoPodExpected';
}

const EXPLANATIONS: Record<ForeignReason, string> = {
  UnknownWork: 'its labels name work that does not exist',
  OtherNamespace: 'its labels name work of another namespace',
  OtherPod: 'its labels name work that has another Pod',
  NoPodExpected: 'its labels name work that should have no Pod now',
  NotSealed: 'it has no valid seal for the work that its labels name',
};

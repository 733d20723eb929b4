/** What the cluster shows of a Pod. Only `uid` and `namespace` cannot be chosen by whoever creates it. */
export interface PodIdentity {
  namespace: string;
  uid: string;
  /**
   * Carries our seal for exactly its namespace, its name and the work in its labels: Millrace asked for a Pod
   * of that name.
   */
  sealed: boolean;
}

/** What is recorded of the Pod for one attempt of a build, or for one run of checks or hooks. */
export interface GivenPod {
  namespace: string;
  /** Recorded when the API server answered our request, or when the gateway had verified the agent. */
  uid?: string;
  /** It is the current attempt, it had its turn, and it has not ended: a Pod was asked for. */
  going: boolean;
}

type ForeignReason = 'UnknownWork' | 'OtherNamespace' | 'OtherPod' | 'NoPodGiven' | 'NotSealed';

export type Ownership =
  | { verdict: 'own' }
  /**
   * Millrace made it, but its work has ended, is unknown or has another Pod. It proves nothing; it may only
   * be removed.
   */
  | { verdict: 'leftover' }
  /** Somebody else made it. It proves nothing, and it is not ours to remove. */
  | { verdict: 'foreign'; reason: ForeignReason; message: string };

/**
 * Whether a Pod is the one that its work was given. Anyone who may create Pods in some namespace can write
 * every label, name and termination message, so none of these counts: the recorded uid does, or our seal
 * while no uid is recorded yet.
 */
export function ownPod(pod: PodIdentity, given: GivenPod | undefined): Ownership {
  if (given?.namespace === pod.namespace && isGiven(pod, given)) return { verdict: 'own' };
  return pod.sealed ? { verdict: 'leftover' } : foreign(pod, given);
}

/** A Pod that is gone speaks for its work only if it is the recorded one: nobody can look at it any more. */
export function wasOwnPod({ namespace, uid }: PodIdentity, given: GivenPod | undefined): boolean {
  return given !== undefined && given.namespace === namespace && given.uid === uid;
}

function isGiven({ uid, sealed }: PodIdentity, given: GivenPod): boolean {
  return given.uid === undefined ? given.going && sealed : given.uid === uid;
}

function foreign(pod: PodIdentity, given: GivenPod | undefined): Ownership & { verdict: 'foreign' } {
  const reason = foreignReason(pod, given);
  const why = WHY[reason];
  return {
    verdict: 'foreign',
    reason,
    message: `Millrace did not create this Pod and ignores it: ${why}.`,
  };
}

function foreignReason(pod: PodIdentity, given: GivenPod | undefined): ForeignReason {
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

/*
 * What the run itself did and saw, as it happened. Times are milliseconds since the epoch; everything runs on
 * one machine, so they can be compared with those in the database.
 */

export interface JobName {
  pipeline: string;
  job: string;
}
export type BuildName = JobName & { number: string };

/**
 * A request for a build. `unknown`: the connection broke or the answer did not come, so there may be a build
 * or none.
 */
export type Trigger = JobName & {
  sentAt: number;
  answer: 'created' | 'refused' | 'unknown';
  number?: string;
  said?: string;
};

/** From now on checks of this resource return the version `n`. */
interface Published {
  at: number;
  resource: string;
  n: number;
}

/** A step's script began: told by the script itself, past Millrace. */
export type StepRun = BuildName & { at: number; pod: string; step: string; run: string };

/** A build's status as the API told it; only changes are kept. */
export type Sighting = BuildName & { at: number; status: string; attempt: number };

/** When a build's Pod was seen with its agent waiting or running, and nobody wanted its end. */
export interface PodLife {
  uid: string;
  name: string;
  build: number;
  attempt: number;
  from: number;
  to: number;
}

/** A Pod that a hostile tenant made in another team's namespace, as if it were of a build or check. */
export interface ForeignPod {
  at: number;
  namespace: string;
  name: string;
  uid: string;
  /** Whether it was still there when its maker looked, just before deleting it; absent: nobody could look. */
  survived?: boolean;
}

export interface Fault {
  name: string;
  /** What it was done to; `pod` where that is a Pod of a build or check. */
  target: string;
  pod?: string;
  from: number;
  to?: number;
  /** Why it was not done. */
  skipped?: string;
}

/** A kubelet is no Pod, and yet what it was about to start when it went is lost with it. */
export const KILL_KUBELET = 'kill the kubelet';

/**
 * `changed`: the text differs from the one before. The answer of kubectl may have been lost, so a failed one
 * may have counted.
 */
interface Applied {
  at: number;
  pipeline: string;
  changed: boolean;
  text: string;
  failed?: string;
}

/**
 * From sending the manifest that pauses to the first answer of the API that shows it; then the same for
 * resuming.
 */
export interface Pause {
  pipeline: string;
  sent: number;
  acknowledged?: number;
  resumeSent?: number;
  resumed?: number;
}

export interface History {
  seed: number;
  minutes: number;
  started: number;
  faultsEnded: number;
  ended: number;
  triggers: Trigger[];
  published: Published[];
  runs: StepRun[];
  sightings: Sighting[];
  pods: PodLife[];
  faults: Fault[];
  /** Absent in evidence of runs without a hostile tenant. */
  foreign?: ForeignPod[];
  applied: Applied[];
  pauses: Pause[];
}

export const emptyHistory = (seed: number, minutes: number, started: number): History => ({
  seed,
  minutes,
  started,
  faultsEnded: started,
  ended: started,
  triggers: [],
  published: [],
  runs: [],
  sightings: [],
  pods: [],
  faults: [],
  foreign: [],
  applied: [],
  pauses: [],
});

export const buildKey = ({ pipeline, job, number }: BuildName): string => `${pipeline}/${job} #${number}`;
export const jobKey = ({ pipeline, job }: JobName): string => `${pipeline}/${job}`;

/*
 * What the run itself did and observed. Times are milliseconds since the epoch and comparable with the
 * database's, because everything runs on one machine.
 */

export interface SoakJob {
  pipeline: string;
  job: string;
}
export type BuildOfRun = SoakJob & { number: string };

/** A request for a build. `unknown`: no answer came or its status is 5xx, so a build may exist. */
export type Trigger = SoakJob & {
  sentAt: number;
  answer: 'created' | 'refused' | 'unknown';
  number?: string;
  problem?: string;
};

/** From the time `at` on, checks of this resource return the version `n`. */
interface Published {
  at: number;
  resource: string;
  n: number;
}

/** A step's script began. The script reports this directly to the soak run, not through Millrace. */
export type StepExecution = BuildOfRun & {
  at: number;
  pod: string;
  step: string;
  /** Id of this execution. */
  run: string;
  /**
   * The files that the step found in the cache of its job: for each execution of a step that wrote some,
   * `.<number of files>.<id of the execution>_`. Empty: none.
   */
  restored?: string;
};

/** When a service in a build's Pod first and last reported that it runs. */
type ServiceLife = BuildOfRun & { pod: string; from: number; to: number };

/** A notification of a build's end arrived. */
type SentNotification = BuildOfRun & { at: number; pod: string; status: string };

/** A build's status in the API; only changes are recorded. */
export type Sighting = BuildOfRun & { at: number; status: string; attempt: number };

/** The period in which a build's Pod was seen undeleted, with its agent waiting or running. */
export interface PodLife {
  uid: string;
  name: string;
  build: number;
  attempt: number;
  from: number;
  to: number;
}

/** A Pod that a hostile tenant created in another team's namespace, labelled as a build or check. */
export interface ForeignPod {
  at: number;
  namespace: string;
  name: string;
  uid: string;
  /** Whether it still existed just before its creator deleted it; absent if that is unknown. */
  survived?: boolean;
}

export interface Fault {
  name: string;
  /**
   * What the fault hit. `pod` is set if the fault ends a Pod of a build or check, or one of its containers.
   */
  target: string;
  pod?: string;
  from: number;
  to?: number;
  /** Why the fault was not inflicted. */
  skipped?: string;
}

/** A killed kubelet also loses the containers that it was about to start. */
export const KILL_KUBELET = 'kill the kubelet';

/**
 * `changed`: the text differs from the one before. If kubectl's answer was lost, even a failed apply may have
 * taken effect.
 */
interface Applied {
  at: number;
  pipeline: string;
  changed: boolean;
  text: string;
  failed?: string;
}

/**
 * When the manifest that pauses was sent, and when the API first showed the pause. Then the same two times
 * for resuming.
 */
export interface Pause {
  pipeline: string;
  sent: number;
  acknowledged?: number;
  resumeSent?: number;
  resumed?: number;
}

export interface SoakHistory {
  seed: number;
  minutes: number;
  started: number;
  faultsEnded: number;
  ended: number;
  triggers: Trigger[];
  published: Published[];
  runs: StepExecution[];
  sightings: Sighting[];
  pods: PodLife[];
  faults: Fault[];
  /** Absent in evidence of runs without a hostile tenant. */
  foreign?: ForeignPod[];
  /** Absent in evidence of runs without services and notifications. */
  services?: ServiceLife[];
  notifications?: SentNotification[];
  applied: Applied[];
  pauses: Pause[];
}

export const emptyHistory = (seed: number, minutes: number, started: number): SoakHistory => ({
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
  services: [],
  notifications: [],
  applied: [],
  pauses: [],
});

export const buildKey = ({ pipeline, job, number }: BuildOfRun): string => `${pipeline}/${job} #${number}`;
export const jobKey = ({ pipeline, job }: SoakJob): string => `${pipeline}/${job}`;

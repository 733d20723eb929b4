import type { WarmPodState, WarmSettings } from '#domain/scheduling/decide-warm-pods.ts';
import type { ActiveJob } from '#domain/scheduling/likely-jobs.ts';

/* Pods that wait for a build: what flows need from outside. */

export interface WarmTeam {
  team: string;
  namespace: string;
  settings: WarmSettings;
}

export interface WarmPodToCreate {
  id: number;
  team: string;
  namespace: string;
  idleSeconds: number;
}

interface ActiveTeamJob extends ActiveJob {
  pipeline: string;
  /** The Team's time limit for jobs without a timeout. */
  defaultTimeoutSeconds?: number;
}

/** A warm Pod as the database records it. */
export interface RecordedWarmPod extends WarmPodState {
  team: string;
  namespace: string;
  /** Recorded when the API server had created the Pod. */
  name?: string;
  podUid?: string;
}

export interface TeamActivity {
  /** How many more builds may run. Infinity: no limit. */
  room: number;
  /** Builds with a turn and without a Pod. */
  waiting: number;
  isShort: boolean;
  jobs: ActiveTeamJob[];
}

/** The owner of a Pod whose labels say that it is warm. */
export type WarmPodOwner =
  | { state: 'waiting'; namespace: string; podUid?: string }
  | { state: 'taken'; namespace: string; podUid: string; build: number; attempt: number }
  /** It is not wanted any more. */
  | { state: 'failed'; namespace: string; podUid?: string };

/** Every method is one statement, safe to repeat. */
export interface WarmPodStore {
  /** All Pods that no build has taken. */
  waitingPods(): Promise<RecordedWarmPod[]>;
  /** `since`: jobs without a build after it are left out, unless one runs. */
  activity(team: string, since: Date): Promise<TeamActivity>;
  /** Returns the row id. Undefined: the team is gone. */
  add(team: string, pod: { namespace: string; shape: string; at: Date }): Promise<number | undefined>;
  created(id: number, pod: { name: string; uid: string }): Promise<void>;
  /** Returns whether no build had taken it. */
  fail(id: number, failure: string): Promise<boolean>;
  remove(id: number): Promise<boolean>;
  /** Rows of Pods whose build has ended, or has another Pod by now. */
  removeUsed(before: Date): Promise<void>;
  /**
   * Gives the oldest ready Pod of the shape to the build, if it has none yet. With the Pod it gets the
   * session of its agent.
   */
  take(
    build: { build: number; attempt: number },
    wanted: { team: string; shape: string; at: Date },
  ): Promise<{ id: number } | undefined>;
  owner(id: number): Promise<WarmPodOwner | undefined>;
}

import type { WarmPodState, WarmSettings } from '#domain/scheduling/decide-warm-pods.ts';
import type { ActiveJob } from '#domain/scheduling/likely-jobs.ts';

/* What the flows of warm Pods need from outside. */

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
  /** Recorded once the API server has created the Pod. */
  name?: string;
  podUid?: string;
}

export interface TeamActivity {
  /** How many more builds of the team may run. Queued builds count as running. Infinity: no limit. */
  freeSlots: number;
  /** Number of the team's builds that had their turn and have no Pod. */
  waiting: number;
  /** A build of the team waits for quota. */
  lacksQuota: boolean;
  jobs: ActiveTeamJob[];
}

/** What the database records of a Pod whose labels say that it was created as a warm Pod. */
export type WarmPodRow =
  | { state: 'waiting'; namespace: string; podUid?: string }
  | { state: 'taken'; namespace: string; podUid: string; build: number; attempt: number }
  /** The Pod is to be deleted. */
  | { state: 'failed'; namespace: string; podUid?: string };

/**
 * Each method that writes is one statement, and may be repeated. A repeated `add` leaves a row without a Pod,
 * which is removed later.
 */
export interface WarmPodStore {
  /** The rows of all Pods that no build has taken: creating, ready or failed. */
  waitingPods(): Promise<RecordedWarmPod[]>;
  /**
   * Leaves out paused jobs, and jobs whose newest build was created before `since` and does not run. At most
   * 40 jobs, those with the newest builds.
   */
  activity(team: string, since: Date): Promise<TeamActivity>;
  /**
   * Adds a row for a Pod that is to be created. Only builds of the same shape can take the Pod. Returns the
   * row id; undefined: the team is gone, or this process no longer leads.
   */
  add(team: string, pod: { namespace: string; shape: string; at: Date }): Promise<number | undefined>;
  created(id: number, pod: { name: string; uid: string }): Promise<void>;
  /**
   * False: nothing changed, because a build has taken the Pod, the Pod has failed already, or its row is
   * gone.
   */
  fail(id: number, failure: string): Promise<boolean>;
  /** False: nothing changed, because a build has taken the Pod, or its row is gone. */
  remove(id: number): Promise<boolean>;
  /**
   * Removes rows of Pods that builds took before `takenBefore`, if the build also ended before that time or
   * has another attempt by now.
   */
  removeUsed(takenBefore: Date): Promise<void>;
  /**
   * Gives the oldest ready Pod of the shape to the build, if the build has no Pod yet. The session of the
   * Pod's agent becomes the session of the build.
   */
  take(
    build: { build: number; attempt: number },
    pod: { team: string; shape: string; at: Date },
  ): Promise<{ id: number } | undefined>;
  /** `id`: row id, from the label of the Pod. */
  rowOf(id: number): Promise<WarmPodRow | undefined>;
}

import type { RecordedPod } from '#domain/build/pod-ownership.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { NotificationsToSend } from '#domain/planning/plan-notifications.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildRef, PipelineName } from '#flows/names.ts';

export interface PendingBuild extends BuildRef {
  id: number;
  pipelineId: number;
  attempt: number;
  namespace: string;
  /** With the job of the build as its only job. */
  definition: Pipeline;
  createdAt: Date;
  /** The Team's time limit for jobs without a timeout. */
  defaultTimeoutSeconds?: number;
}

/** The Pod of a build whose agent has not connected, or a warm Pod that is not ready. */
export interface StartingBuildPod {
  team: string;
  podUid: string;
  podCreatedAt: Date;
}

export interface OpenAttempt extends BuildRef {
  id: number;
  pipelineId: number;
  attempt: number;
  namespace: string;
  podUid?: string;
  /** Name of the warm Pod that the attempt took. Absent: the name follows from the attempt. */
  podName?: string;
  podCreatedAt?: Date;
  status: BuildStatus;
  createdAt: Date;
  /** Start of the first step of this attempt. */
  startedAt?: Date;
}

/** Facts of a check run. `pipeline`: the name that the pipeline had when the run was opened. */
export interface CheckRunFacts extends PipelineName {
  run: number;
  namespace: string;
  pipelineId: number;
  /** Without jobs, unless the run executes hooks or sends notifications. */
  definition: Pipeline;
  checks: {
    scope: number;
    resource: string;
    last?: Record<string, string>;
    /**
     * By branch, the `ref` of its newest version. Present if the last version has `branch` and `ref`.
     * Branches without a recent version may be missing.
     */
    branches?: Record<string, string>;
  }[];
  /** Which caches of its resources the run uses, as decided when its Pod was created. */
  caches?: CacheUse[];
  /** Present: the run executes `on_trigger` hooks instead of checks. */
  hooks?: HookRunFacts;
  /** Present: the run sends notifications of builds instead of checking. */
  notifications?: NotificationsToSend;
}

export interface HookRunFacts {
  resource: string;
  /** Milliseconds until builds start without waiting for the hooks. */
  leftMs: number;
  /** Oldest first. */
  versions: { id: number; fields: Record<string, string> }[];
}

export interface OpenRun extends PipelineName {
  run: number;
  pipelineId: number;
  namespace: string;
  group: string;
  openedAt: Date;
  /** A CronJob created the Pod of the run, so Millrace's limits did not hold the Pod back. */
  byCronJob: boolean;
  /** The agent of the run has opened its session. */
  seen: boolean;
  /** The Pod whose agent opened the session. */
  podUid?: string;
  /** The run checks nothing: it executes hooks or, if `notifications` is true too, sends notifications. */
  hooks: boolean;
  notifications?: boolean;
}

export interface OpenHookRun extends OpenRun {
  work: 'hooks' | 'notifications';
  /**
   * Milliseconds until the operator gives up the run; negative if that time is over. After that, builds start
   * without waiting for its hooks.
   */
  leftMs: number;
  /** Why the run has no Pod. */
  refused?: string;
}

/** Which Pods belong to builds. */
export interface BuildPodStore {
  /** Pods of builds whose agent has not opened its session yet, and warm Pods that are not ready. */
  startingPods(): Promise<StartingBuildPod[]>;
  /**
   * The Pod that is recorded for the attempt, even if the attempt is not the current one. Undefined: there is
   * no such attempt.
   */
  recordedPod(build: number, attempt: number): Promise<RecordedPod | undefined>;
}

import type { BuildStatus } from '#domain/build/events.ts';
import type { GivenPod } from '#domain/build/own-pod.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { BuildRef, PipelineName } from '#flows/names.ts';

export interface PendingBuild extends BuildRef {
  id: number;
  pipelineId: number;
  attempt: number;
  namespace: string;
  definition: Pipeline;
  createdAt: Date;
}

export interface StartingBuild {
  build: number;
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
  podCreatedAt?: Date;
  status: BuildStatus;
  createdAt: Date;
  /** Since when the first step of this attempt runs. */
  startedAt?: Date;
}

export interface CheckRunFacts extends PipelineName {
  run: number;
  namespace: string;
  pipelineId: number;
  definition: Pipeline;
  checks: { scope: number; resource: string; last?: Record<string, string> }[];
  /** It runs `on_trigger` hooks instead of checks. */
  hooks?: HookRunFacts;
}

export interface HookRunFacts {
  resource: string;
  /** Until builds go on without them. */
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
  /** An agent came for it. */
  seen: boolean;
  /** Of the Pod whose agent came for it. */
  podUid?: string;
  /** It runs hooks. */
  hooks: boolean;
}

export interface OpenHookRun extends OpenRun {
  /** Until builds go on without them; not above zero: they do. */
  leftMs: number;
  /** Why there is no Pod. */
  refused?: string;
}

/** Which Pods builds were given. */
export interface BuildPodStore {
  /** Builds that have a Pod whose agent has not spoken yet. */
  startingBuilds(): Promise<StartingBuild[]>;
  /**
   * The Pod of this attempt, whether it is over or not, as far as it is recorded; undefined when there is no
   * such attempt.
   */
  givenPod(build: number, attempt: number): Promise<GivenPod | undefined>;
}

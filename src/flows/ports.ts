import type { AgentSession } from '#domain/build/agent-session.ts';
import type { BuildOutcome, BuildStatus, OutcomeReason, TerminationMessage } from '#domain/build/events.ts';
import type { GivenPod } from '#domain/build/own-pod.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { ResolvedSources } from '#domain/pipeline/surroundings.ts';
import type { DefinitionDifference } from '#domain/scheduling/definition-difference.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { BuildTransaction } from './build-ports.ts';
import type { RenameStore } from './rename-ports.ts';
import type { SaveStore } from './save-ports.ts';
import type { PipelineTransaction } from './schedule-ports.ts';
import type { DueCheckTimer } from './show-check.ts';
import type { TriggerStore } from './trigger-ports.ts';
import type { TurnStore } from './turn-ports.ts';

/*
 * What flows need from outside. Every method is one transaction, safe to repeat after a crash, and safe
 * beside itself in another process. The `work` of a `with…` method runs inside of it and may run again after
 * a conflict: it acts through `tx` only, and the flow notifies others afterwards. `at` is the caller's clock.
 * Row ids are safe integers. Notifications are hints: losing one costs time, never work.
 */

export interface PipelineName {
  team: string;
  pipeline: string;
}
export type JobName = PipelineName & { job: string };
export type ResourceName = PipelineName & { resource: string };
export type BuildRef = JobName & { number: string };

export interface PipelineToSave extends PipelineName {
  namespace: string;
  uid: string;
  displayName?: string;
  /** Absent: as it was, private at first. */
  public?: boolean;
  /** Present in the manifest: it wins over the API. */
  paused?: boolean;
  /** The fields that tell the version. Likewise, for the resources that it names. */
  pins?: { resource: string; version: Record<string, string> }[];
  config: string;
  /** SHA-256 of everything the definition was made from; equal digest: no new revision. */
  digest: string;
  definition: Pipeline;
  actor: string;
}

export interface SavedPipeline {
  id: number;
  revision: number;
  /** False: digest as before; nothing was written. */
  changed: boolean;
  resources: { id: number; scope: number; name: string }[];
  difference: DefinitionDifference & {
    /** Resources that have another history now, with what changed. */
    histories: string[];
  };
  /**
   * Pins of the manifest or the source of a resource changed, which ended these builds (row ids) before they
   * started.
   */
  repinned?: { stopped: number[] };
}
/** What was found under the sources of a pipeline. */
export interface KeptSources {
  /** Of the text, the variables and the request that they were fetched for. */
  key: string;
  sources: ResolvedSources;
}

/** What `status` of a Pipeline mirrors; bounded. */
export interface PipelineFacts {
  id: number;
  revision: number;
  paused: boolean;
  jobs: {
    name: string;
    paused: boolean;
    lastBuild?: { number: string; status: BuildStatus; endedAt?: Date };
  }[];
  resources: {
    name: string;
    versions: number;
    lastCheckedAt?: Date;
    nextCheckAt?: Date;
    checkError?: string;
    /** Versions that the last check left out, though they may be new. */
    cut?: number;
    /** What went wrong with the hooks of its newest versions. */
    hooksError?: string;
    stalled: boolean;
  }[];
  /** So many builds have not started that new versions make none. */
  queueFull?: boolean;
  /** Jobs without a build and builds that do not start, each with its first reason; absent: not asked. */
  waiting?: Waiting[];
}

export interface StoredFacts extends Omit<PipelineFacts, 'queueFull' | 'waiting' | 'resources'> {
  /** Builds that have not started. */
  queued: number;
  resources: (Omit<PipelineFacts['resources'][number], 'stalled'> & DueCheckTimer)[];
}

export interface Waiting {
  job: string;
  /** Absent: it is the job that gets no build. */
  number?: string;
  reason: Reason;
}

export interface PipelineStore extends RenameStore, SaveStore {
  /**
   * Stops everything of the pipeline; history, ids and webhook tokens stay for the next one of that name.
   * Answers the row ids of the builds that were asked to stop and have not ended.
   */
  removePipeline(name: PipelineName): Promise<{ runningBuilds: number[] }>;
  /** Bounded, as `PipelineFacts` are. */
  storedFacts(name: PipelineName): Promise<StoredFacts | undefined>;
  definition(name: PipelineName): Promise<{ id: number; revision: number; pipeline: Pipeline } | undefined>;
  /** Those of the team that have not been removed. */
  countPipelines(team: string): Promise<number>;
  keptSources(name: PipelineName): Promise<KeptSources | undefined>;
  /** In place of those kept before. */
  keepSources(name: PipelineName, kept: KeptSources): Promise<void>;
  /** Those that have not been removed, for the comparison with objects. */
  livePipelines(): Promise<(PipelineName & { namespace: string })[]>;
}

export interface PendingBuild extends BuildRef {
  id: number;
  pipelineId: number;
  attempt: number;
  namespace: string;
  definition: Pipeline;
  createdAt: Date;
}

export interface AttemptRef {
  /** Row id. */
  build: number;
  attempt: number;
}

export interface StartingBuild {
  build: number;
  team: string;
  podUid: string;
  podCreatedAt: Date;
}

export interface AttemptFacts extends PendingBuild {
  status: BuildStatus;
  podUid?: string;
  podCreatedAt?: Date;
  /** When somebody first asked for its end, and how that is told. */
  cancelled?: { at: Date; reason?: string };
  /** Earlier attempts that had run steps. */
  retries: number;
  /** By position of the job's gets. */
  versions: Record<string, string>[];
}

export interface BuildStore extends TriggerStore, TurnStore {
  /** Pipelines with a request newer than the last decision. */
  pipelinesToSchedule(limit: number): Promise<number[]>;
  /** The facts of its transaction are those of the jobs that wait for a decision, or of the first of them. */
  withPipeline<T>(pipeline: number, work: (tx: PipelineTransaction) => Promise<T>): Promise<T>;
  /**
   * Builds that have had their turn and whose current attempt has no Pod yet: the oldest of each team, then
   * the second of each, and so on; none of the namespaces named.
   */
  buildsToStart(limit: number, except?: string[]): Promise<PendingBuild[]>;
  /** Builds that have a Pod whose agent has not spoken yet. */
  startingBuilds(): Promise<StartingBuild[]>;
  /**
   * Shows why these builds have no Pod yet. They are not put off. Answers those that had another reason
   * before.
   */
  explainHeld(held: readonly { build: number; code: string; reason: string }[]): Promise<number[]>;
  /** Milliseconds until the first of the builds that are put off is to start; undefined when none is. */
  nextStartMs(): Promise<number | undefined>;
  /**
   * Shown for all builds of the namespace that are to start. They are not put off: whoever looks next finds
   * them again.
   */
  explainFull(namespace: string, reason: string): Promise<void>;
  /**
   * The oldest builds of the namespace whose Pods were refused for want of room are put off no longer.
   * Answers how many others still are.
   */
  tryRefused(namespace: string): Promise<number>;
  /** None of the namespace is put off any longer. Answers whether any was. */
  tryAllRefused(namespace: string): Promise<boolean>;
  /** The Pod exists. */
  podCreated(build: number, attempt: number, podUid: string, at: Date): Promise<void>;
  /**
   * Shown as the reason why the build is pending. Without a Pod it is also tried again a little later each
   * time.
   */
  explainPending(build: number, reason: string): Promise<void>;
  /**
   * The Pod of this attempt, whether it is over or not, as far as it is recorded; undefined when there is no
   * such attempt.
   */
  givenPod(build: number, attempt: number): Promise<GivenPod | undefined>;
  /** Undefined when another attempt took its place. */
  attemptFacts(build: number, attempt: number): Promise<AttemptFacts | undefined>;
  /**
   * `mayDecide`: the build may end or make a version, so the pipeline's lock is taken before the build's row.
   * Without it, `work` must write neither.
   */
  withBuild<T>(
    build: number,
    what: { mayDecide: boolean },
    work: (tx: BuildTransaction) => Promise<T>,
  ): Promise<T>;
  /** Attempts of builds that have not ended, for the comparison with Pods. */
  openAttempts(): Promise<OpenAttempt[]>;
  /** Undefined: there is no such attempt. */
  buildState(build: number, attempt: number): Promise<StoredState | undefined>;
}

/**
 * The end of a build that its events did not report. `words`: what its agent left behind of steps and
 * versions.
 */
export interface BuildEnd {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  at: Date;
  words?: TerminationMessage;
}

export interface AttemptOver {
  reason: string;
  at: Date;
  words?: TerminationMessage;
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

export interface SessionStore {
  /**
   * `same`: this key opened it before. `taken`: another key did, which is an alarm. `over`: the attempt or
   * run has ended.
   */
  openSession(
    session: AgentSession,
    keyHash: string,
    podUid: string,
    at: Date,
  ): Promise<'opened' | 'same' | 'taken' | 'over'>;
  sessionOf(keyHash: string): Promise<AgentSession | undefined>;
}

/** A write by a leader whose epoch is no longer the newest is refused with `EpochOver`. */
export interface LeaderStore {
  takeEpoch(holder: string): Promise<number>;
  isCurrent(epoch: number): Promise<boolean>;
}

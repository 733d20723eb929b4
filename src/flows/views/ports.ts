import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { StepState } from '#domain/build/build-state.ts';
import type { ActiveStatus, EndedStatus } from '#domain/graph/state.ts';
import type { Input, Job, Schedule } from '#domain/pipeline/pipeline.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';
import type { Listed, Page } from '#flows/page.ts';
import type { BuildOrigin, VersionUse } from './use-ports.ts';
import type { ExplainedJobs } from './waiting-ports.ts';

/** What members read: bounded and without secrets. `undefined`: not found in that team. */
export interface Views {
  pipelines(team: string): Promise<PipelineView[]>;
  pipeline(name: PipelineName): Promise<PipelineView | undefined>;
  jobs(name: PipelineName): Promise<JobView[] | undefined>;
  job(name: JobName): Promise<JobView | undefined>;
  /** Newest first. */
  builds(name: JobName, page: Page & { status?: BuildStatus }): Promise<Listed<BuildView> | undefined>;
  build(ref: BuildRef): Promise<BuildDetail | undefined>;
  /** What changed in this build since the newest good build of its job that is older. */
  changes(ref: BuildRef): Promise<BuildChangesView | undefined>;
  /** Why these builds (row ids) exist, and which versions they took, in no particular order. */
  buildOrigins(builds: readonly number[]): Promise<BuildOrigin[]>;
  /** The job in the current definition. */
  jobDefinition(name: JobName): Promise<Job | undefined>;
  /**
   * Chunks of the log, of all attempts, after a sequence number, oldest first. At most `maxCharacters`
   * characters of text, and never more than 1 Mi; a longer chunk comes alone.
   */
  logs(ref: BuildRef, after: number, maxCharacters?: number): Promise<LogPage | undefined>;
  /** The row ids of the build and its pipeline, as notifications name them. */
  buildIds(ref: BuildRef): Promise<{ build: number; pipeline: number } | undefined>;
  resources(name: PipelineName): Promise<ResourceView[] | undefined>;
  resource(name: ResourceName): Promise<ResourceView | undefined>;
  /** Newest first. `text` selects versions with this text in a field, among the newest 10,000. */
  versions(name: ResourceName, page: Page & { text?: string }): Promise<Listed<VersionView> | undefined>;
  /** Which builds made or took these versions (row ids), in no particular order. */
  versionUses(name: ResourceName, versions: readonly number[]): Promise<VersionUse[]>;
  /** The jobs that a version goes through, whether they have built it or not. */
  versionPath(name: ResourceName, version: number): Promise<VersionPathView | undefined>;
  check(name: ResourceName): Promise<CheckView | undefined>;
  /**
   * Why jobs have no build, and why builds do not start. A job that is about to get a build has no reason.
   */
  waiting(jobs: ExplainedJobs): Promise<WaitingView | undefined>;
}

export interface PipelineView {
  id: number;
  team: string;
  name: string;
  displayName?: string;
  public: boolean;
  paused: boolean;
  revision: number;
  jobs: number;
  resources: number;
}

export interface JobView {
  id: number;
  name: string;
  paused: boolean;
  latest?: { number: string; status: BuildStatus; startedAt?: Date; endedAt?: Date };
  running: boolean;
  /** Outcome of the newest ended build: by number, then by retry. */
  ended?: EndedStatus;
  /** Statuses of the job's builds that have not ended. */
  doing: ActiveStatus[];
  /** Parameters of a manual trigger, in the order of the file. */
  inputs: Input[];
}

export interface BuildView {
  id: number;
  number: string;
  status: BuildStatus;
  attempt: number;
  /**
   * `reason`: why the build ended as it did, as a stable code. `message`: the same as a sentence, or why the
   * build is pending.
   */
  reason?: string;
  message?: string;
  /** The person who cancelled the build, or who marked its failure as a warning. */
  cancelledBy?: string;
  warnedBy?: string;
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
  /** Values of the job's inputs, by name. */
  inputValues: Record<string, string>;
}

export interface BuildDetail extends BuildView {
  inputs: { name: string; resource: string; version: number; fields: Record<string, string> }[];
  /** Versions that the puts of the last attempt made. */
  outputs: { resource: string; version: number; fields: Record<string, string> }[];
  /** Results of the checks that the trigger of the build requested. */
  checks?: RequestedCheck[];
  /** When the build got its turn, and when its last attempt got its Pod. */
  admittedAt?: Date;
  podCreatedAt?: Date;
  /** The last attempt took a warm Pod. */
  warmPod?: true;
  /** When the Pod of the last attempt got its node, and when the last container of that Pod started. */
  podScheduledAt?: Date;
  containersStartedAt?: Date;
  /** Present: the job asks for approval. */
  approval?: ApprovalView;
  steps: StepState[];
}

/** Who voted on a build, in the order of the votes. `at`: ISO 8601. */
export interface ApprovalView {
  /** How many people must approve. */
  needed: number;
  votes: { by: string; approve: boolean; message?: string; at: string }[];
}

/** What changed in a build since the newest good build of its job that is older. */
export interface BuildChangesView {
  /** Number of the last good build. Absent: no earlier build was good. */
  since?: string;
  inputs: InputChangesView[];
}

export interface InputChangesView {
  name: string;
  resource: string;
  /** `older`: the last good build had a newer version. `other`: it had another resource, or no such input. */
  change: 'none' | 'newer' | 'older' | 'other';
  /**
   * The versions after the one that the last good build had, up to the one that this build has. Newest first;
   * at most `MAX_CHANGES`.
   */
  versions: VersionView[];
  hasMore: boolean;
}

/** Maximum number of versions that are listed as changes of one input. */
export const MAX_CHANGES = 100;

export interface LogPage {
  /** `sequence` orders the chunks of all attempts and is the cursor. */
  chunks: { attempt: number; sequence: number; step: string; text: string; at: Date }[];
  /** Earlier attempts, and why each was followed by another one. */
  retried: { attempt: number; reason: string }[];
  /** More is stored after the last chunk. */
  hasMore: boolean;
  /** The build has ended, and no more log follows. */
  complete: boolean;
  /** Retention or the team's log limit removed the log. */
  removed?: true;
}

/** Shown in place of a removed log. */
export const LOG_REMOVED =
  "[removed: the team's retention or its limit of logs (limits.logBytes) removed this log]";

export interface ResourceView {
  id: number;
  name: string;
  type: string;
  schedule?: Schedule;
  webhookGeneration: number;
  /** Webhooks need a signature. */
  webhookSigned: boolean;
  lastCheckedAt?: Date;
  nextCheckAt?: Date;
  checkError?: string;
  /** Number of versions, counted up to 10,000. */
  versions: number;
  /** The newest version. */
  latest?: { id: number; fields: Record<string, string> };
  /** Number of versions that the last check omitted although they may be new. */
  omitted?: number;
  /** Without `version`: the manifest pins a version that no check has found yet. */
  pinned?: { version?: number; by: string; comment?: string };
  pinnedAt?: Date;
}

export interface VersionView {
  id: number;
  disabled: boolean;
  disabledBy?: string;
  fields: Record<string, string>;
  createdAt: Date;
}

export interface VersionPathView {
  resource: string;
  version: number;
  fields: Record<string, string>;
  /** Nearest first. */
  path: { job: string; build?: PathBuildView; retries: PathBuildView[] }[];
}

export interface PathBuildView {
  id: number;
  number: string;
  status: BuildStatus;
  startedAt?: Date;
  endedAt?: Date;
}

/** The last check of a resource, and when the next one is due. */
export interface CheckView {
  running: boolean;
  lastCheckedAt?: Date;
  nextCheckAt?: Date;
  error?: string;
  /** Consecutive failures. */
  failures: number;
  /** Output of the last check, secrets masked; only the end if it is long. */
  output: string;
  stalled: boolean;
  /** Why no Pod can be created for the check now. */
  held?: string;
  /**
   * A webhook led to a version, and since then no scheduled check found a version that the webhooks had
   * missed.
   */
  webhookWorks: boolean;
  /**
   * The hooks that ended last, among the hooks that versions of the resource triggered. Absent: none have
   * ended.
   */
  hooks?: HooksView;
}

export interface HooksView {
  /** Row ids of the first and last version, which were recorded together. */
  first: number;
  last: number;
  endedAt: Date;
  /** Message of the first failure, or the reason why there are no results. */
  error?: string;
  results: HookResult[];
}

export interface WaitingView {
  jobs: { name: string; reasons: Reason[] }[];
  builds: { job: string; number: string; reasons: Reason[] }[];
}

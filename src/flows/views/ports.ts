import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { StepState } from '#domain/build/build-state.ts';
import type { BuildStatus } from '#domain/build/events.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';
import type { Listed, Page } from '#flows/page.ts';

/** What people are shown: read-only, bounded, without secrets. `undefined`: no such thing in that team. */
export interface Views {
  pipelines(team: string): Promise<PipelineView[]>;
  pipeline(name: PipelineName): Promise<PipelineView | undefined>;
  jobs(name: PipelineName): Promise<JobView[] | undefined>;
  job(name: JobName): Promise<JobView | undefined>;
  /** Newest first. */
  builds(name: JobName, page: Page & { status?: BuildStatus }): Promise<Listed<BuildView> | undefined>;
  build(ref: BuildRef): Promise<BuildDetail | undefined>;
  /**
   * Of all attempts, oldest first, from after the given sequence number; at most 1 MiB of text at a time, or
   * as little as is asked for.
   */
  logs(ref: BuildRef, after: number, mostCharacters?: number): Promise<LogPage | undefined>;
  /** The ids by which notifications name it. */
  buildIds(ref: BuildRef): Promise<{ build: number; pipeline: number } | undefined>;
  resources(name: PipelineName): Promise<ResourceView[] | undefined>;
  resource(name: ResourceName): Promise<ResourceView | undefined>;
  /** Newest first. */
  versions(name: ResourceName, page: Page): Promise<Listed<VersionView> | undefined>;
  /** Where a version went. */
  versionPath(name: ResourceName, version: number): Promise<VersionPathView | undefined>;
  check(name: ResourceName): Promise<CheckView | undefined>;
  /**
   * Why jobs get no build and builds do not start, of all jobs or of one; jobs about to be built have no
   * reason.
   */
  waiting(name: PipelineName & { job?: string }): Promise<WaitingView | undefined>;
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
}

export interface BuildView {
  id: number;
  number: string;
  status: BuildStatus;
  attempt: number;
  /** Why it ended so, or why it is still pending: a machine word and a sentence. */
  reason?: string;
  message?: string;
  /** Who cancelled it, or marked its failure as a warning. */
  cancelledBy?: string;
  warnedBy?: string;
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
}

export interface BuildDetail extends BuildView {
  inputs: { name: string; resource: string; version: number; fields: Record<string, string> }[];
  /** What became of the checks that its trigger asked for first. */
  checks?: RequestedCheck[];
  steps: StepState[];
}

export interface LogPage {
  /** `sequence` orders the chunks of all attempts and is the cursor. */
  chunks: { attempt: number; sequence: number; step: string; text: string; at: Date }[];
  /** Attempts that another one followed, and why. */
  retried: { attempt: number; reason: string }[];
  /** More is stored after the last chunk. */
  hasMore: boolean;
  /** Nothing will be added any more. */
  complete: boolean;
  /** There was a log, and retention or the team's limit of logs removed it. Absent: no. */
  removed?: true;
}

/** What readers find in place of such a log. */
export const LOG_REMOVED =
  "[removed: the team's retention or its limit of logs (limits.logBytes) removed this log]";

export interface ResourceView {
  id: number;
  name: string;
  type: string;
  schedule?: Schedule;
  webhookGeneration: number;
  /** Webhooks without a signature are refused. */
  webhookSigned: boolean;
  lastCheckedAt?: Date;
  nextCheckAt?: Date;
  checkError?: string;
  versions: number;
  /** The newest one. */
  latest?: { id: number; fields: Record<string, string> };
  /** Versions that the last check left out, though they may be new. */
  cut?: number;
  /** Without a version: its manifest wants one that no check has found yet. */
  pinned?: { version?: number; by: string; comment?: string };
}

export interface VersionView {
  id: number;
  disabled: boolean;
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
  /** Failures in a row. */
  failures: number;
  /** What the check said, secrets masked; of a long one the end. */
  output: string;
  stalled: boolean;
  /** Why no Pod can be made for it now. */
  held?: string;
  /** A webhook has brought a version, and no scheduled check one that no webhook told of. */
  webhookWorks: boolean;
  /** The `on_trigger` hooks of the newest versions that fired some, once they have ended. */
  hooks?: HooksView;
}

export interface HooksView {
  /** Of the versions, recorded together. */
  first: number;
  last: number;
  endedAt: Date;
  /** What went wrong first, or why none of them told anything. */
  error?: string;
  results: HookResult[];
}

export interface WaitingView {
  jobs: { name: string; reasons: Reason[] }[];
  builds: { job: string; number: string; reasons: Reason[] }[];
}

import type { BuildStatus } from '#domain/build/events.ts';
import type { StepState } from '#domain/build/build-state.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { BuildRef, JobName, PipelineName, ResourceName, TriggerAnswer } from '#flows/ports.ts';

/** What the public routes ask for; the door wires flows behind it. `undefined`: no such thing in that team. */
export interface PublicApi {
  /** True once the request is durable; false for a token that no resource has, after the same work. */
  requestCheckByWebhook(token: string): Promise<boolean>;
  requestCheck(resource: ResourceName): Promise<'requested' | 'unknown'>;
  triggerJob(job: JobName, by: string): Promise<TriggerAnswer>;

  pipelines(team: string): Promise<PipelineView[]>;
  pipeline(name: PipelineName): Promise<PipelineView | undefined>;
  jobs(name: PipelineName): Promise<JobView[] | undefined>;
  job(name: JobName): Promise<JobView | undefined>;
  /** Newest first. */
  builds(name: JobName, page: Page & { status?: BuildStatus }): Promise<Listed<BuildView> | undefined>;
  build(ref: BuildRef): Promise<BuildDetail | undefined>;
  /** Oldest first, from after the given sequence number; bounded. */
  logs(ref: BuildRef, after: number): Promise<LogPage | undefined>;
  resources(name: PipelineName): Promise<ResourceView[] | undefined>;
  resource(name: ResourceName): Promise<ResourceView | undefined>;
  /** Newest first. */
  versions(name: ResourceName, page: Page): Promise<Listed<VersionView> | undefined>;
  /** For those who may see it: derived, never stored. */
  webhookToken(resource: ResourceView): string;
}

/** Row ids as cursors: older than `before`, newer than `after`. */
export interface Page {
  limit: number;
  before?: number;
  after?: number;
}

export interface Listed<T> {
  rows: T[];
  hasMore: boolean;
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
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
}

export interface BuildDetail extends BuildView {
  inputs: { name: string; resource: string; version: number; fields: Record<string, string> }[];
  steps: StepState[];
}

export interface LogPage {
  chunks: { sequence: number; step: string; text: string; at: Date }[];
  /** More is stored after the last chunk. */
  hasMore: boolean;
  /** Nothing will be added any more. */
  complete: boolean;
}

export interface ResourceView {
  id: number;
  name: string;
  type: string;
  schedule?: Schedule;
  webhookGeneration: number;
  lastCheckedAt?: Date;
  nextCheckAt?: Date;
  checkError?: string;
  versions: number;
}

export interface VersionView {
  id: number;
  fields: Record<string, string>;
  createdAt: Date;
}

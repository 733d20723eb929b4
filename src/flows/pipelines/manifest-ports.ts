import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import type { TagRules } from '#domain/planning/choose-nodes.ts';
import type { VolumeRules } from '#domain/planning/mount-volumes.ts';
import type { ScheduledCheck } from '#domain/planning/scheduled-checks.ts';
import type { PipelineName } from '#flows/names.ts';
import type { RenamedFrom, Renaming } from './rename-ports.ts';

/*
 * What the flows of manifests need from outside, besides stores. Each call is safe to repeat, and writes
 * nothing if the cluster is in the desired state.
 */

/**
 * Compiles HCL; never rejects because of the text. `share`: whose text it is, such as a namespace. Texts of
 * different shares take turns.
 */
export interface Compiler {
  compile(
    source: string,
    variables: GivenVariables,
    sources?: ResolvedSources,
    share?: string,
  ): Promise<Compilation>;
}

/** What a team's pipelines may fetch. */
export interface SourceRules {
  allowHttp?: boolean;
  /** The allowed hosts. Absent: any public host. */
  hosts?: readonly string[];
}

/** `transient`: a later attempt may succeed. */
export type SourceAnswer = { text: string; digest: string } | { failure: string; transient: boolean };

/**
 * Fetches sources from public addresses, and from address ranges that the installation allows. Each fetch is
 * limited in size and time. Never rejects.
 */
export interface SourceReader {
  read(source: string, rules: SourceRules): Promise<SourceAnswer>;
  /** SHA-256 over the parts, as in digests of revisions. */
  digest(parts: readonly string[]): string;
}

/** The parts of a Pipeline object that flows need. */
export interface PipelineManifest extends PipelineName {
  namespace: string;
  uid: string;
  displayName?: string;
  /** Absent: unchanged. */
  public?: boolean;
  /**
   * Present if the API created the object. `changedBy`: the person who wrote the current spec, if one did.
   */
  byApi?: { changedBy?: string };
  /** Present: the manifest decides whether the pipeline is paused. */
  paused?: boolean;
  /** Present: the manifest pins these resources, each at the version with these fields. */
  pins?: { resource: string; version: Record<string, string> }[];
  /** Value of an annotation. A new value requests that the sources are fetched again. */
  requestedAt?: string;
  /** The annotation of an object that takes over the pipeline of another one. */
  renamedFrom?: RenamedFrom;
}

export type ConfigurationAnswer =
  | { answer: 'found'; config: string; variables: GivenVariables; digest: string }
  | {
      answer: 'missing';
      reason: 'ConfigMapNotFound' | 'SecretNotFound' | 'SecretNotUsable' | 'KeyNotFound' | 'ConfigTooLarge';
      message: string;
    };

export interface PipelineCluster {
  /**
   * HCL text and variables of a Pipeline, with the ConfigMaps and Secrets that it names. A variable from a
   * Secret is a placeholder named `<secret>/<key>`, never the value. The digest covers text and variables,
   * not the settings.
   */
  configurationOf(pipeline: PipelineManifest): Promise<ConfigurationAnswer>;
  sourceRulesOf(team: string): SourceRules;
  /** How many pipelines the team may have; undefined: any number. */
  pipelineLimitOf(team: string): number | undefined;
  /**
   * Applies the CronJobs of these checks, and deletes all other CronJobs of the pipeline. Does not change a
   * CronJob of the same name that Millrace did not create; returns a sentence for each of these.
   */
  applyChecks(pipeline: ScheduledPipeline): Promise<string[]>;
  /** The Team's rules for tags and volumes; undefined if there is no Team of this name. */
  podRulesOf(team: string): (TagRules & VolumeRules) | undefined;
  /** Label of the nodes that have a tag. */
  nodeLabel(tag: string): string;
  /**
   * Compares the old object with the new one. `same`: equal, and the API created both. `gone`: the namespace
   * has no object of that uid.
   */
  compareRenamed(renaming: Renaming): Promise<'same' | 'changed' | 'managed' | 'gone'>;
  /** Removes the annotation from an object that has taken over the pipeline. */
  settleRename(pipeline: PipelineManifest): Promise<void>;
  /** Requests the deletion of exactly this object. */
  removeObject(pipeline: PipelineManifest): Promise<void>;
}

export interface ScheduledPipeline extends PipelineManifest {
  id: number;
  checks: ScheduledCheck[];
}

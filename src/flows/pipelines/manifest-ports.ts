import type { Compilation } from '#domain/pipeline/compile.ts';
import type { ResolvedSources } from '#domain/pipeline/surroundings.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import type { TagRules } from '#domain/planning/place-pod.ts';
import type { ScheduledCheck } from '#domain/planning/scheduled-checks.ts';
import type { PipelineName } from '#flows/names.ts';
import type { RenamedFrom, Renaming } from './rename-ports.ts';

/*
 * What the flows from manifests need from outside, beside the stores of `ports.ts`. The same promises hold:
 * each call may be repeated after a crash, and a call that finds everything as it should be writes nothing.
 */

/** Reads HCL; never rejects for what the text is. `share`: texts of several shares take turns. */
export interface Compiler {
  compile(
    source: string,
    variables: GivenVariables,
    sources?: ResolvedSources,
    share?: string,
  ): Promise<Compilation>;
}

/** What a team allows its pipelines to fetch. */
export interface SourceRules {
  allowHttp?: boolean;
  /** Only these hosts; absent: any that is public. */
  hosts?: readonly string[];
}

/** `transient`: it may be there if tried again. */
export type SourceAnswer = { text: string; digest: string } | { failure: string; transient: boolean };

/** Fetches what stands under a `source`: public addresses only, limited in time and size. Never rejects. */
export interface SourceReader {
  read(source: string, rules: SourceRules): Promise<SourceAnswer>;
  /** SHA-256 over the parts, as the digests of revisions are. */
  digest(parts: readonly string[]): string;
}

/** A Pipeline object, as far as flows look at it. */
export interface PipelineManifest extends PipelineName {
  namespace: string;
  uid: string;
  displayName?: string;
  /** Absent: as it was. */
  public?: boolean;
  /** Who changed it last, where the API made it. */
  byApi?: { changedBy: string };
  /** Present: the manifest decides. */
  paused?: boolean;
  /** Likewise, for the resources that it names. */
  pins?: { resource: string; version: Record<string, string> }[];
  /** The annotation that asks for sources to be fetched anew. */
  requestedAt?: string;
  /** The annotation of an object that is to go on with the pipeline of another one. */
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
   * HCL text and variables of a Pipeline with everything that it refers to. A variable from a Secret is a
   * placeholder named `<secret>/<key>`, never the value. The digest covers text and variables, not the
   * settings beside them.
   */
  configurationOf(pipeline: PipelineManifest): Promise<ConfigurationAnswer>;
  sourceRulesOf(team: string): SourceRules;
  /** How many pipelines the team may have; absent: any number. */
  pipelineLimitOf(team: string): number | undefined;
  /**
   * Makes the CronJobs of exactly these checks and deletes the pipeline's others. A CronJob of somebody else
   * that has the name of one is left as it is: a sentence for each says so.
   */
  applyChecks(pipeline: ScheduledPipeline): Promise<string[]>;
  /** What the Team makes of tags; undefined while there is none that is ready. */
  tagRulesOf(team: string): TagRules | undefined;
  /** Label of the nodes that offer a tag. */
  nodeLabel(tag: string): string;
  /**
   * How the object that the new one names is now. `same`: it says the same, and the API made both. `gone`:
   * there is none of that uid in the namespace.
   */
  compareRenamed(renaming: Renaming): Promise<'same' | 'changed' | 'managed' | 'gone'>;
  /** Takes the annotation off an object that has the pipeline of the other one. */
  settleRename(pipeline: PipelineManifest): Promise<void>;
  /** Asks for the deletion of exactly this object. */
  removeObject(pipeline: PipelineManifest): Promise<void>;
}

export interface ScheduledPipeline extends PipelineManifest {
  id: number;
  checks: ScheduledCheck[];
}

import type { PipelineName } from '#flows/names.ts';
import type { ObjectAnswer, ProviderObjects, TeamObjects } from '#flows/people/object-ports.ts';
import type { RenamedFrom } from './rename-ports.ts';

/*
 * Objects that the API creates in the cluster. They are the desired state, for people with kubectl and for
 * the operator. Each is marked as created by the API; objects without that mark are never changed.
 */

export interface ApiObjects {
  providers: ProviderObjects;
  teams: TeamObjects;
  pipelines: PipelineObjects;
}

/** The fields of a pipeline that the API sets. */
export interface PipelineSpec {
  config: string;
  vars?: Record<string, string>;
  displayName?: string;
  public?: boolean;
}

export interface PipelineObject {
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  spec: PipelineSpec;
  /**
   * Names of the other fields that the spec has. The API does not know them, so a write through the API would
   * drop them.
   */
  others: string[];
  /** Present if the object takes over the pipeline of another object. */
  renamedFrom?: RenamedFrom;
  deleting: boolean;
  /** The operator's verdict on this generation; absent until the operator has decided. */
  verdict?: { ready: boolean; reason: string; message: string };
  /** Why the operator has not decided yet, if the status says so. */
  undecided?: { reason: string; message: string };
}

/** The HCL texts of the current revisions of pipelines, whether the API or a manifest sets them. */
export interface RunningTexts {
  /** Undefined: there is no such pipeline, or it has no revision yet. */
  textOf(name: PipelineName): Promise<string | undefined>;
}

/** Namespace and name of a pipeline object. */
export interface PipelineObjectKey {
  namespace: string;
  name: string;
}

export interface NewPipelineObject extends PipelineObjectKey {
  spec: PipelineSpec;
  renamedFrom?: RenamedFrom;
}

export interface PipelineObjects {
  /** Reads an object that the API created. */
  read(objectKey: PipelineObjectKey): Promise<ObjectAnswer<PipelineObject>>;
  create(object: NewPipelineObject, by: string): Promise<ObjectAnswer<PipelineObject>>;
  /** Writes only if the object has not changed since it was read. */
  replace(read: PipelineObject, spec: PipelineSpec, by: string): Promise<ObjectAnswer<PipelineObject>>;
  remove(read: PipelineObject): Promise<ObjectAnswer>;
}

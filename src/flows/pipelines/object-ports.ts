import type { ObjectAnswer, ProviderObjects, TeamObjects } from '#flows/people/object-ports.ts';
import type { RenamedFrom } from './rename-ports.ts';

/*
 * The objects that the API makes in the cluster: what is wanted stands there, for people with kubectl as for
 * the operator. Each of them says that the API made it; of all others nothing is changed. The promises of
 * `ports.ts` hold.
 */

export interface ApiObjects {
  providers: ProviderObjects;
  teams: TeamObjects;
  pipelines: PipelineObjects;
}

/** What the API says of a pipeline. */
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
  /** What else its spec says, which the API does not set, by name; whoever writes the spec drops it. */
  others: string[];
  /** It is to go on with the pipeline of another object. */
  renamedFrom?: RenamedFrom;
  deleting: boolean;
  /** What the operator made of this generation; absent while it has not looked. */
  verdict?: { ready: boolean; reason: string; message: string };
}

/** Where a pipeline is, or is to be. */
export interface PipelinePlace {
  namespace: string;
  name: string;
}

export interface NewPipelineObject extends PipelinePlace {
  spec: PipelineSpec;
  renamedFrom?: RenamedFrom;
}

export interface PipelineObjects {
  /** One that the API made. */
  read(place: PipelinePlace): Promise<ObjectAnswer<PipelineObject>>;
  create(object: NewPipelineObject, by: string): Promise<ObjectAnswer<PipelineObject>>;
  /** Only while it is what was read. */
  replace(read: PipelineObject, spec: PipelineSpec, by: string): Promise<ObjectAnswer<PipelineObject>>;
  remove(read: PipelineObject): Promise<ObjectAnswer>;
}

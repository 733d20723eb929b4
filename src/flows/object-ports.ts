import type { StoredProvider } from './oauth-ports.ts';
import type { RenamedFrom } from './rename-ports.ts';

/*
 * The objects that the API makes in the cluster: what is wanted stands there, for people with kubectl as for
 * the operator. Each of them says that the API made it; of all others nothing is changed. The promises of
 * `ports.ts` hold.
 */

/** What the API server said of a write or a read. */
export type Written<T = unknown> =
  | { answer: 'done'; value: T }
  | { answer: 'exists' }
  | { answer: 'unknown' }
  /** A manifest made it: it is changed there. */
  | { answer: 'managed' }
  /** Somebody else changed it since it was read. */
  | { answer: 'changed' }
  | { answer: 'refused'; message: string }
  | { answer: 'away'; message: string };

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
  read(place: PipelinePlace): Promise<Written<PipelineObject>>;
  create(object: NewPipelineObject, by: string): Promise<Written<PipelineObject>>;
  /** Only while it is what was read. */
  replace(read: PipelineObject, spec: PipelineSpec, by: string): Promise<Written<PipelineObject>>;
  remove(read: PipelineObject): Promise<Written>;
}

export interface TeamObject {
  deleting: boolean;
  /** Why there is no such team in spite of its object. */
  refused?: string;
}

export interface TeamObjects {
  /** One that the API made. */
  read(name: string): Promise<Written<TeamObject>>;
  create(name: string, by: string): Promise<Written>;
  remove(name: string, by: string): Promise<Written>;
}

export interface ProviderObject {
  provider: StoredProvider;
  /** Its deletion is asked for, and waits. */
  deleting: boolean;
}

export interface ProviderObjects {
  /** One that the API made. */
  read(canonical: string): Promise<Written<ProviderObject>>;
  create(provider: StoredProvider, by: string): Promise<Written<ProviderObject>>;
  /** Only while it is what was read. */
  replace(read: ProviderObject, provider: StoredProvider, by: string): Promise<Written<ProviderObject>>;
  remove(read: ProviderObject): Promise<Written>;
  /** Under a name of its own, which no other secret ever has: `secretKey` of a provider. */
  keepSecret(canonical: string, secret: string): Promise<Written<string>>;
  dropSecret(key: string): Promise<void>;
  /** Those that were kept for the provider before then, but for one. */
  dropSecretsBefore(canonical: string, at: Date, but?: string): Promise<void>;
}

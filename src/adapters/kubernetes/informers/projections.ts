import type { V1ConfigMap, V1CronJob, V1ObjectMeta } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import type {
  OAuthProviderCustomResource,
  PipelineCustomResource,
  TeamCustomResource,
} from '#adapters/kubernetes/kinds/custom-resources.ts';
import { renamedFromOf } from '#adapters/kubernetes/kinds/renamed-from.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { RenamedFrom } from '#flows/pipelines/rename-ports.ts';

/*
 * What the informers cache of each object: the fields that the operator often reads. The HCL text of a
 * Pipeline may be large, so it is read from the API server when it is needed.
 */

export interface ObjectProjection extends CachedObject {
  generation: number;
  finalizers: string[];
  /** The deletionTimestamp. */
  deletedAt?: Date;
  /**
   * Present if the API created the object. `changedBy` is the account that changed it last through the API.
   */
  byApi?: { changedBy?: string };
}

export type TeamProjection = ObjectProjection & {
  createdAt?: Date;
  spec: Wire<TeamCustomResource>['spec'];
  status: Wire<TeamCustomResource>['status'];
};
export type OAuthProviderProjection = ObjectProjection & {
  spec: Wire<OAuthProviderCustomResource>['spec'];
  status: Wire<OAuthProviderCustomResource>['status'];
};

export interface PipelineProjection extends ObjectProjection {
  displayName?: string;
  public?: boolean;
  paused?: boolean;
  pins?: { resource: string; version: Record<string, string> }[];
  /** Names of the ConfigMaps and Secrets that the spec refers to. */
  configMaps: string[];
  secrets: string[];
  /** The annotation that requests the operator to fetch the sources again. */
  requestedAt?: string;
  /** Present if this object continues the pipeline of another object, which was renamed. */
  renamedFrom?: RenamedFrom;
  status?: PipelineStatus;
}

export type PipelineStatus = NonNullable<Wire<PipelineCustomResource>['status']>;

export interface CronJobProjection extends CachedObject {
  /** Name of the Pipeline that owns the CronJob; empty if none does. */
  pipeline: string;
}

export function projectMeta(metadata: Wire<V1ObjectMeta> | undefined): ObjectProjection {
  const { namespace = '', name = '', uid = '', resourceVersion = '', generation = 0 } = metadata ?? {};
  const { finalizers = [], deletionTimestamp } = metadata ?? {};
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    finalizers,
    ...(deletionTimestamp === undefined ? {} : { deletedAt: new Date(deletionTimestamp) }),
    ...projectByApi(metadata),
  };
}

function projectByApi(metadata: Wire<V1ObjectMeta> | undefined): Pick<ObjectProjection, 'byApi'> {
  const { labels = {}, annotations = {} } = metadata ?? {};
  if (labels[LABEL.madeBy] !== BY_API) return {};
  return { byApi: defined({ changedBy: annotations[ANNOTATION.changedBy] }) };
}

export function projectTeam({ metadata, spec, status }: Wire<TeamCustomResource>): TeamProjection {
  const created = metadata?.creationTimestamp;
  return {
    ...projectMeta(metadata),
    ...(created !== undefined && { createdAt: new Date(created) }),
    spec,
    status,
  };
}

export function projectOAuthProvider({
  metadata,
  spec,
  status,
}: Wire<OAuthProviderCustomResource>): OAuthProviderProjection {
  return { ...projectMeta(metadata), spec, status };
}

export function projectPipeline({
  metadata,
  spec,
  status,
}: Wire<PipelineCustomResource>): PipelineProjection {
  const { displayName, paused, pins, configFrom, varsFrom = [] } = spec;
  return defined({
    ...projectMeta(metadata),
    configMaps: [
      ...(configFrom === undefined ? [] : [configFrom.configMapKeyRef.name]),
      ...varsFrom.flatMap((source) => source.configMapRef?.name ?? []),
    ],
    secrets: varsFrom.flatMap((source) => source.secretRef?.name ?? []),
    requestedAt: metadata?.annotations?.[ANNOTATION.requestedAt],
    renamedFrom: renamedFromOf(metadata?.annotations),
    status,
    displayName,
    public: spec.public,
    paused,
    pins,
  });
}

/**
 * Identity and version only. The informers of ConfigMaps and Secrets cache nothing else, because they read
 * only metadata.
 */
export function projectReference({ metadata }: Pick<Wire<V1ConfigMap>, 'metadata'>): CachedObject {
  const { namespace, name, uid, resourceVersion } = projectMeta(metadata);
  return { namespace, name, uid, resourceVersion };
}

export function projectCronJob({ metadata }: Wire<V1CronJob>): CronJobProjection {
  const owner = metadata?.ownerReferences?.find((reference) => reference.kind === 'Pipeline');
  return { ...projectReference({ metadata: metadata ?? {} }), pipeline: owner?.name ?? '' };
}

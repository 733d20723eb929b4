import type { V1ConfigMap, V1CronJob, V1ObjectMeta } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import type {
  OAuthProviderObject,
  PipelineObject,
  TeamObject,
} from '#adapters/kubernetes/kinds/custom-resources.ts';
import { renamedFromOf } from '#adapters/kubernetes/kinds/renamed-from.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { Kept } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { RenamedFrom } from '#flows/pipelines/rename-ports.ts';

/*
 * What is kept of each watched object: a few hundred bytes, whatever the object's size. A text of 256 KiB in
 * a Pipeline is read again when it is needed.
 */

export interface SeenMeta extends Kept {
  generation: number;
  finalizers: string[];
  /** When deletion was asked for. */
  deletedAt?: Date;
  /** The API made it, and this account changed it last. */
  byApi?: { changedBy: string };
}

export type SeenTeam = SeenMeta & {
  createdAt?: Date;
  spec: Wire<TeamObject>['spec'];
  status: Wire<TeamObject>['status'];
};
export type SeenOAuthProvider = SeenMeta & {
  spec: Wire<OAuthProviderObject>['spec'];
  status: Wire<OAuthProviderObject>['status'];
};

export interface SeenPipeline extends SeenMeta {
  displayName?: string;
  public?: boolean;
  paused?: boolean;
  pins?: { resource: string; version: Record<string, string> }[];
  /** Names of the ConfigMaps and Secrets that it refers to. */
  configMaps: string[];
  secrets: string[];
  /** The annotation that asks for sources to be fetched anew. */
  requestedAt?: string;
  /** The annotation of an object that is to go on with the pipeline of another one. */
  renamedFrom?: RenamedFrom;
  status?: PipelineStatus;
}

export type PipelineStatus = NonNullable<Wire<PipelineObject>['status']>;

export interface SeenOwned extends Kept {
  pipeline: string;
}

export function seenMeta(metadata: Wire<V1ObjectMeta> | undefined): SeenMeta {
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
    ...seenByApi(metadata),
  };
}

function seenByApi(metadata: Wire<V1ObjectMeta> | undefined): Pick<SeenMeta, 'byApi'> {
  const { labels = {}, annotations = {} } = metadata ?? {};
  if (labels[LABEL.madeBy] !== BY_API) return {};
  return { byApi: { changedBy: annotations[ANNOTATION.changedBy] ?? BY_API } };
}

export function seenTeam({ metadata, spec, status }: Wire<TeamObject>): SeenTeam {
  const created = metadata?.creationTimestamp;
  return {
    ...seenMeta(metadata),
    ...(created !== undefined && { createdAt: new Date(created) }),
    spec,
    status,
  };
}

export function seenOAuthProvider({ metadata, spec, status }: Wire<OAuthProviderObject>): SeenOAuthProvider {
  return { ...seenMeta(metadata), spec, status };
}

export function seenPipeline({ metadata, spec, status }: Wire<PipelineObject>): SeenPipeline {
  const { displayName, paused, pins, configFrom, varsFrom = [] } = spec;
  return defined({
    ...seenMeta(metadata),
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

/** Only that it changed: ConfigMaps and Secrets are watched without their contents. */
export function seenReference({ metadata }: Pick<Wire<V1ConfigMap>, 'metadata'>): Kept {
  const { namespace, name, uid, resourceVersion } = seenMeta(metadata);
  return { namespace, name, uid, resourceVersion };
}

export function seenCronJob({ metadata }: Wire<V1CronJob>): SeenOwned {
  const owner = metadata?.ownerReferences?.find((reference) => reference.kind === 'Pipeline');
  return { ...seenReference({ metadata: metadata ?? {} }), pipeline: owner?.name ?? '' };
}

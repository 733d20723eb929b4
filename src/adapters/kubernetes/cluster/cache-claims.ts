import { ApiError, orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type ApiKind, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { ClusterCache } from '#adapters/kubernetes/informers/cluster-cache.ts';
import { CACHE_KIND, cacheClaim } from '#adapters/kubernetes/manifests/cache-claim.ts';
import type { OwnerObject } from '#adapters/kubernetes/manifests/installation.ts';
import { LABEL, OWNED_BY_MILLRACE } from '#adapters/kubernetes/manifests/labels.ts';
import { cacheClaimName } from '#adapters/kubernetes/manifests/names.ts';
import type { CacheVolume } from '#adapters/kubernetes/manifests/pod-work.ts';
import type { CacheClaims, FoundClaim } from '#flows/pipelines/cache-ports.ts';
import type { CacheClaim, ClaimAnswer, PodCache } from '#flows/pods/cache-ports.ts';

export interface CacheClaimsOptions {
  client: Pick<ApiClient, 'create' | 'get'>;
  cache: Pick<ClusterCache, 'pipelineOwner'>;
}

/**
 * Creates the PersistentVolumeClaim of a cache, unless it exists. Refuses if the Pipeline object does not
 * exist, the API server refuses the claim, or a Pod must not use the existing claim.
 */
export async function prepareClaim(
  claim: CacheClaim,
  { client, cache }: CacheClaimsOptions,
): Promise<ClaimAnswer> {
  const owner = cache.pipelineOwner(claim.namespace, claim.pipeline);
  if (owner === undefined) return refused('its Pipeline is being deleted.');
  const desired = wire(KINDS.persistentVolumeClaims, cacheClaim(claim, owner));
  const { namespace, name = '' } = desired.metadata ?? {};
  const operation = `reading the PersistentVolumeClaim ${namespace}/${name}`;
  const read = async () =>
    orAbsent(await client.get(KINDS.persistentVolumeClaims, { namespace, name }), operation);
  const existing = await read();
  if (existing !== undefined) return judgeClaim(existing, owner);
  const answer = await client.create(KINDS.persistentVolumeClaims, desired);
  if (answer.ok) return { answer: 'ready' };
  if (answer.reason === 'AlreadyExists') {
    // Somebody has created the claim since the read that did not find it.
    const other = await read();
    return other === undefined ? refused('its volume was just deleted.') : judgeClaim(other, owner);
  }
  if ([403, 404, 422].includes(answer.status)) return refused(`its volume was refused: ${answer.message}`);
  throw new ApiError(`creating the PersistentVolumeClaim ${namespace}/${name}`, answer);
}

/** The volume of a cache in a Pod. `prepareClaim` has created or found its claim. */
export function cacheVolume(
  { cache: id, generation, resource, folder, containers }: PodCache,
  owner: OwnerObject | undefined,
): CacheVolume {
  const claim = cacheClaimName({ id, generation, resource, uid: owner?.uid ?? '' });
  return { claim, folder, containers };
}

/**
 * Whether a Pod may use an existing claim. Only a claim whose owner reference names this Pipeline is
 * accepted. Others who may create claims in the namespace could have created one with this name.
 */
function judgeClaim(
  { metadata = {} }: { metadata?: { deletionTimestamp?: string; ownerReferences?: { uid: string }[] } },
  owner: OwnerObject,
): ClaimAnswer {
  if (metadata.deletionTimestamp !== undefined) return refused('its volume is being deleted.');
  const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) === true;
  return isOwned ? { answer: 'ready' } : refused('Millrace did not create the claim of its volume.');
}

function refused(message: string): ClaimAnswer {
  return { answer: 'refused', message };
}

/** The object as its JSON. The manifests of Millrace have no dates, so the JSON has the same fields. */
function wire<T>(_kind: ApiKind<Wire<T>>, object: T): Wire<T> {
  const json: Wire<T> = JSON.parse(JSON.stringify(object));
  return json;
}

export interface ClaimSweepOptions {
  client: Pick<ApiClient, 'list' | 'delete'>;
  cache: Pick<ClusterCache, 'pipelineOwner'>;
  namespaces(): string[];
}

/** Finds and deletes the claims of caches in the namespaces of teams. */
export function cacheClaims(options: ClaimSweepOptions): CacheClaims {
  const { client, cache } = options;
  return {
    nameOf({ cache: id, namespace, pipeline, ...claim }) {
      const owner = cache.pipelineOwner(namespace, pipeline);
      return owner && cacheClaimName({ ...claim, id, uid: owner.uid });
    },
    async found() {
      const found: FoundClaim[] = [];
      for (const namespace of options.namespaces()) {
        const labelSelector = `${OWNED_BY_MILLRACE},${LABEL.kind}=${CACHE_KIND}`;
        const listed = await client.list(
          KINDS.persistentVolumeClaims,
          { namespace, labelSelector },
          (claims) => {
            for (const { metadata } of claims)
              if (metadata?.deletionTimestamp === undefined)
                found.push({ namespace, name: metadata?.name ?? '', uid: metadata?.uid ?? '' });
          },
        );
        orThrow(listed, `listing the PersistentVolumeClaims of ${namespace}`);
      }
      return found;
    },
    async delete({ namespace, name, uid }) {
      const answer = await client.delete(KINDS.persistentVolumeClaims, { namespace, name }, { uid });
      if (!answer.ok && answer.status !== 404 && answer.status !== 409)
        throw new ApiError(`deleting the PersistentVolumeClaim ${namespace}/${name}`, answer);
    },
  };
}

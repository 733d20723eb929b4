import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { defined } from '#defined';
import { ownerReference, type OwnerObject, type TeamRules } from './installation.ts';
import { LABEL, labelValue, MANAGED_BY } from './labels.ts';
import { cacheClaimName } from './names.ts';

/** Value of the label `kind` on the claims of caches. */
export const CACHE_KIND = 'cache';

/** A cache that needs a volume. */
interface CacheToClaim {
  /** Row id of the cache. */
  cache: number;
  /** Increases when the cache is cleared, so that the next use gets a new volume. */
  generation: number;
  /** Name of the resource; `<job>:<cache>` for a cache of a job. */
  resource: string;
  team: string;
  namespace: string;
  pipeline: string;
  settings: NonNullable<TeamRules['caches']>;
}

/** The claim for the volume of a cache of a resource or job. The Pipeline owns it. */
export function cacheClaim(claim: CacheToClaim, owner: OwnerObject): V1PersistentVolumeClaim {
  const { cache: id, generation, settings, team, namespace, pipeline, resource } = claim;
  const { storageClassName, size, accessModes } = settings;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: cacheClaimName({ id, generation, resource, uid: owner.uid }),
      namespace,
      labels: {
        [MANAGED_BY]: 'millrace',
        [LABEL.kind]: CACHE_KIND,
        [LABEL.team]: labelValue(team),
        [LABEL.pipeline]: labelValue(pipeline),
        [LABEL.resource]: labelValue(resource),
      },
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      accessModes,
      resources: { requests: { storage: size } },
      ...defined({ storageClassName }),
    },
  };
}

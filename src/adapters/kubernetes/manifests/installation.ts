import type { V1LocalObjectReference, V1OwnerReference } from '@kubernetes/client-node';
import type { Amounts, TagRules } from '#domain/planning/choose-nodes.ts';
import type { VolumeRules } from '#domain/planning/mount-volumes.ts';
import type { PodsWithUserNamespace } from '#domain/planning/user-namespaces.ts';
import type { WarmSettings } from '#domain/scheduling/decide-warm-pods.ts';

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** Settings for Pods of builds and checks. */
export interface PodDefaults {
  /** Pull policy of images that pipelines and Teams name without a digest, unless they are on `localhost`. */
  imagePullPolicy: PullPolicy;
  /** Ephemeral storage, if neither Team nor tags set any. Absent: no request, no limit. */
  storage: { request?: string; limit?: string };
  /** Which Pods get a user namespace. Absent: none. */
  userNamespaces?: PodsWithUserNamespace;
}

/** What all Pods of one installation of Millrace have in common. */
export interface Installation {
  /** Name of the Helm release. The names of its cluster roles begin with it. */
  release: string;
  /** Namespace of the installation. */
  namespace: string;
  image: string;
  imagePullPolicy: PullPolicy;
  pods: PodDefaults;
  /** URL of the internal gateway. */
  gateway: string;
  /** The certificate authority (PEM) of the internal gateway. */
  certificateAuthority: string;
}

/** What a Team's spec says about its Pods and sources. */
export interface TeamRules extends TagRules, VolumeRules {
  namespace: string;
  podSecurity: 'baseline' | 'restricted';
  workerImage?: string;
  imagePullSecrets: V1LocalObjectReference[];
  requests: Amounts;
  limits: Amounts;
  /** Volumes for the caches of resources and jobs. Absent: they have none. */
  caches?: { storageClassName?: string; size: string; accessModes: string[] };
  /** How many warm Pods the team keeps, and how long each one may wait for a build. Absent: none. */
  warm?: WarmSettings;
  /** Where the team's pipelines may fetch sources. */
  sources?: { allowHttp?: boolean; hosts?: string[] };
}

/** The owner of other objects. When the owner is deleted, the garbage collector deletes them. */
export interface OwnerObject {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
}

export function ownerReference(owner: OwnerObject): V1OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.name,
    uid: owner.uid,
    controller: true,
  };
}

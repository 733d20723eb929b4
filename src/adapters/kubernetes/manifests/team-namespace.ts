import type {
  V1LimitRange,
  V1Namespace,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1ResourceQuota,
  V1RoleBinding,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import type { Amounts } from '#domain/planning/choose-nodes.ts';
import { ownerReference, type Installation, type OwnerObject } from './installation.ts';
import { LABEL, labelValue, MANAGED_BY } from './labels.ts';
import { teamNetworkPolicy } from './network-policy.ts';
import { SERVICE_ACCOUNT } from './pod.ts';
import { CLUSTER_ROLES, SERVICE_ACCOUNTS } from './release-names.ts';

export interface TeamNamespace {
  team: string;
  namespace: string;
  podSecurity: 'baseline' | 'restricted';
  quota: Amounts;
  denyCidrs: string[];
  /** The Team object. It owns the objects in the namespace, but not the namespace. */
  owner: OwnerObject;
}

const POD_SECURITY = 'pod-security.kubernetes.io';

/**
 * The object to create the namespace, or to apply its labels to an adopted one. It has no owner reference, so
 * it stays when the Team is deleted.
 */
export function teamNamespace(team: TeamNamespace): V1Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: team.namespace,
      labels: {
        [MANAGED_BY]: 'millrace',
        [LABEL.team]: team.team,
        [`${POD_SECURITY}/enforce`]: team.podSecurity,
        [`${POD_SECURITY}/warn`]: team.podSecurity,
      },
    },
  };
}

/**
 * Service account of all Pods of the team. It has no Role, and Pods do not mount its token for the API
 * server.
 */
export function podsServiceAccount(team: TeamNamespace): V1ServiceAccount {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadataOf(team, SERVICE_ACCOUNT),
    automountServiceAccountToken: false,
  };
}

/** Bindings for the roles of the operator and of the internal gateway in this namespace. */
export function teamRoleBindings(team: TeamNamespace, installation: Installation): V1RoleBinding[] {
  return (['operator', 'gateway'] as const).map((part) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: metadataOf(team, CLUSTER_ROLES[part](installation.release)),
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: CLUSTER_ROLES[part](installation.release),
    },
    subjects: [
      {
        kind: 'ServiceAccount',
        name: SERVICE_ACCOUNTS[part](installation.release),
        namespace: installation.namespace,
      },
    ],
  }));
}

export function teamNetworkPolicies(team: TeamNamespace, installation: Installation): V1NetworkPolicy[] {
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: metadataOf(team, 'millrace-pods'),
      spec: teamNetworkPolicy(team.denyCidrs, installation),
    },
  ];
}

/** Undefined if the spec sets no limits.requests. */
export function teamQuota(team: TeamNamespace): V1ResourceQuota | undefined {
  const entries = Object.entries(team.quota);
  if (entries.length === 0) return undefined;
  const hard = Object.fromEntries(entries.map(([name, amount]) => [`requests.${name}`, String(amount)]));
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: metadataOf(team, QUOTA), spec: { hard } };
}

/** Name of the team's ResourceQuota and LimitRange. */
export const QUOTA = 'millrace';

/**
 * Sets default requests of zero, because the quota refuses Pods without requests, such as Pods that Millrace
 * does not create. Undefined if there is no quota.
 */
export function teamLimitRange(team: TeamNamespace): V1LimitRange | undefined {
  const names = Object.keys(team.quota);
  if (names.length === 0) return undefined;
  const defaultRequest = Object.fromEntries(names.map((name) => [name, '0']));
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: metadataOf(team, QUOTA),
    spec: { limits: [{ type: 'Container', defaultRequest }] },
  };
}

function metadataOf(team: TeamNamespace, name: string): V1ObjectMeta {
  return {
    name,
    namespace: team.namespace,
    labels: { [MANAGED_BY]: 'millrace', [LABEL.team]: labelValue(team.team) },
    ownerReferences: [ownerReference(team.owner)],
  };
}

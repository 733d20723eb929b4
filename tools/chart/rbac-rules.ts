import type { V1PolicyRule } from '@kubernetes/client-node';
import { CLUSTER_ROLES, webhookConfigurationOf } from '#adapters/kubernetes/manifests/release-names.ts';

/*
 * RBAC rules of the installation, which the chart includes (`charts/millrace/files/rbac.yaml`). In a team's
 * namespace the operator and the internal gateway get their team roles through RoleBindings that the operator
 * creates. ValidatingAdmissionPolicies restrict what the operator writes to namespaces and RoleBindings.
 */

/** ClusterRole of the operator, bound cluster-wide. */
export function operatorClusterRules(release: string): V1PolicyRule[] {
  return [
    {
      apiGroups: ['millrace.dev'],
      resources: ['teams', 'pipelines', 'oauthproviders'],
      verbs: ['get', 'list', 'watch'],
    },
    // For finalizers; a ValidatingAdmissionPolicy protects the specs.
    { apiGroups: ['millrace.dev'], resources: ['teams', 'pipelines', 'oauthproviders'], verbs: ['patch'] },
    // For the old object of a rename; a ValidatingAdmissionPolicy allows only objects that the API created.
    { apiGroups: ['millrace.dev'], resources: ['pipelines'], verbs: ['delete'] },
    {
      apiGroups: ['millrace.dev'],
      resources: ['teams/status', 'pipelines/status', 'oauthproviders/status'],
      verbs: ['patch'],
    },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'create', 'patch'] },
    // The number of schedulable nodes sets the size of the start window.
    { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['rolebindings'],
      verbs: ['get', 'create', 'patch'],
    },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: [CLUSTER_ROLES.operator(release), CLUSTER_ROLES.gateway(release)],
      verbs: ['bind'],
    },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}

/** ClusterRole of the operator within team namespaces. */
export const operatorTeamRules: V1PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get', 'create', 'patch'] },
  // Volumes of caches.
  {
    apiGroups: [''],
    resources: ['persistentvolumeclaims'],
    verbs: ['get', 'list', 'create', 'delete'],
  },
  {
    apiGroups: [''],
    resources: ['resourcequotas', 'limitranges'],
    verbs: ['get', 'create', 'patch', 'delete'],
  },
  {
    apiGroups: ['batch'],
    resources: ['cronjobs'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['get', 'create', 'patch'] },
];

/**
 * ClusterRole of the internal gateway in team namespaces: reads the Pods of agents and the values of Secrets.
 */
export const gatewayTeamRules: V1PolicyRule[] = [
  { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get'] },
];

/** ClusterRole of the internal gateway, bound cluster-wide. */
export const gatewayClusterRules: V1PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  // A Team names its Secret, and says whether the gateway may read a Vault over plain HTTP.
  { apiGroups: ['millrace.dev'], resources: ['teams'], verbs: ['get'] },
];

/**
 * ClusterRole of the public gateway for objects of the API. ValidatingAdmissionPolicies restrict its writes
 * to objects with `millrace.dev/managed-by: api` and to the fields that the API offers.
 */
export const apiClusterRules: V1PolicyRule[] = [
  {
    apiGroups: ['millrace.dev'],
    resources: ['pipelines', 'oauthproviders'],
    verbs: ['get', 'create', 'update', 'delete'],
  },
  { apiGroups: ['millrace.dev'], resources: ['teams'], verbs: ['get', 'create', 'delete'] },
];

/** Role of the public gateway in its own namespace: the Secret of OAuth clients. */
export function apiReleaseRules(release: string): V1PolicyRule[] {
  return [
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: [`${release}-oauth-api`],
      verbs: ['get', 'patch'],
    },
  ];
}

/**
 * For installations with tokens: lets the public gateway read the Secret of tokens, because a mounted Secret
 * is updated late.
 */
export function apiTokensRules(secret: string): V1PolicyRule[] {
  return [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get'] }];
}

/** Role of the operator in its own namespace: its Lease and its Secrets. */
export function operatorReleaseRules(release: string): V1PolicyRule[] {
  return [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [`${release}-operator`],
      verbs: ['get', 'update'],
    },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: [
        'keys',
        'store',
        'admin',
        'database',
        'internal-ca',
        'internal-tls',
        'postgres-tls',
        'webhook-tls',
      ].map((name) => `${release}-${name}`),
      verbs: ['get', 'patch'],
    },
  ];
}

/**
 * For an operator that creates the certificate of the admission webhook itself: it writes the CA into the
 * webhook's configuration.
 */
export function operatorWebhookRules(release: string): V1PolicyRule[] {
  return [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      resourceNames: [webhookConfigurationOf(release)],
      verbs: ['get', 'patch'],
    },
  ];
}

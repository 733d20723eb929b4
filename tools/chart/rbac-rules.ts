import type { V1PolicyRule } from '@kubernetes/client-node';
import { CLUSTER_ROLES, webhookConfigurationOf } from '#adapters/kubernetes/manifests/release-names.ts';

/*
 * Who may do what. Cluster-wide the operator reads Millrace's own kinds and writes nothing but their status,
 * namespaces and, fenced by a ValidatingAdmissionPolicy, RoleBindings to the two team roles; everything else
 * it may do only in team namespaces, through the RoleBindings that it makes there. The chart includes these
 * rules (`charts/millrace/files/rbac.yaml` is written from them).
 */

/** ClusterRole of the operator, bound cluster-wide. */
export function operatorClusterRules(release: string): V1PolicyRule[] {
  return [
    {
      apiGroups: ['millrace.dev'],
      resources: ['teams', 'pipelines', 'oauthproviders'],
      verbs: ['get', 'list', 'watch'],
    },
    // For their finalizers; a ValidatingAdmissionPolicy keeps specs out of reach.
    { apiGroups: ['millrace.dev'], resources: ['teams', 'pipelines', 'oauthproviders'], verbs: ['patch'] },
    // What is left of a rename; a ValidatingAdmissionPolicy keeps all but the API's objects out of reach.
    { apiGroups: ['millrace.dev'], resources: ['pipelines'], verbs: ['delete'] },
    {
      apiGroups: ['millrace.dev'],
      resources: ['teams/status', 'pipelines/status', 'oauthproviders/status'],
      verbs: ['patch'],
    },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'create', 'patch'] },
    // Only to read: how many nodes take Pods decides how many Pods may be starting at a time.
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
 * ClusterRole of the internal gateway within team namespaces: it looks at the Pod behind an agent, and at its
 * secrets' values.
 */
export const gatewayTeamRules: V1PolicyRule[] = [
  { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get'] },
];

/** ClusterRole of the internal gateway, bound cluster-wide. */
export const gatewayClusterRules: V1PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
];

/**
 * ClusterRole of the public gateway: what the API makes. A ValidatingAdmissionPolicy keeps it to objects that
 * carry `millrace.dev/managed-by: api`, and to what the API offers in them.
 */
export const apiClusterRules: V1PolicyRule[] = [
  {
    apiGroups: ['millrace.dev'],
    resources: ['pipelines', 'oauthproviders'],
    verbs: ['get', 'create', 'update', 'delete'],
  },
  { apiGroups: ['millrace.dev'], resources: ['teams'], verbs: ['get', 'create', 'delete'] },
];

/** Role of the public gateway in the installation's own namespace: the Secret that it writes. */
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

/** Added to it where the installation has tokens: the Secret that is mounted anyway, as it is now. */
export function apiTokensRules(secret: string): V1PolicyRule[] {
  return [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get'] }];
}

/** Role of the operator in the installation's own namespace: its Lease and the Secrets that it makes. */
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
 * Added to the operator's ClusterRole where it makes the admission webhook's certificate itself: the API
 * server has to know by what.
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

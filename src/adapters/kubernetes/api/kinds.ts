import type {
  EventsV1Event,
  V1ClusterRole,
  V1ConfigMap,
  V1CronJob,
  V1Job,
  V1Lease,
  V1LimitRange,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolumeClaim,
  V1Pod,
  V1ResourceQuota,
  V1RoleBinding,
  V1Secret,
  V1ServiceAccount,
  V1TokenReview,
} from '@kubernetes/client-node';
import type {
  OAuthProviderCustomResource,
  PipelineCustomResource,
  TeamCustomResource,
} from '#adapters/kubernetes/kinds/custom-resources.ts';

/** A type of client-node as the JSON of the API has it: times are strings instead of Dates. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

/**
 * How the API addresses the objects of one kind. `Shape` is the type of these objects. It exists for the type
 * checker only: the field `shape` is never set.
 */
export interface ApiKind<Shape> {
  apiVersion: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  readonly shape?: Shape;
}

function core<Shape>(kind: string, plural: string, namespaced = true): ApiKind<Wire<Shape>> {
  return { apiVersion: 'v1', kind, plural, namespaced };
}

function grouped<Shape>(
  apiVersion: string,
  kind: string,
  plural: string,
  namespaced = true,
): ApiKind<Wire<Shape>> {
  return { apiVersion, kind, plural, namespaced };
}

export const KINDS = {
  teams: grouped<TeamCustomResource>('millrace.dev/v1alpha1', 'Team', 'teams', false),
  pipelines: grouped<PipelineCustomResource>('millrace.dev/v1alpha1', 'Pipeline', 'pipelines'),
  oauthProviders: grouped<OAuthProviderCustomResource>(
    'millrace.dev/v1alpha1',
    'OAuthProvider',
    'oauthproviders',
    false,
  ),
  pods: core<V1Pod>('Pod', 'pods'),
  nodes: core<V1Node>('Node', 'nodes', false),
  configMaps: core<V1ConfigMap>('ConfigMap', 'configmaps'),
  secrets: core<V1Secret>('Secret', 'secrets'),
  namespaces: core<V1Namespace>('Namespace', 'namespaces', false),
  serviceAccounts: core<V1ServiceAccount>('ServiceAccount', 'serviceaccounts'),
  persistentVolumeClaims: core<V1PersistentVolumeClaim>('PersistentVolumeClaim', 'persistentvolumeclaims'),
  resourceQuotas: core<V1ResourceQuota>('ResourceQuota', 'resourcequotas'),
  limitRanges: core<V1LimitRange>('LimitRange', 'limitranges'),
  cronJobs: grouped<V1CronJob>('batch/v1', 'CronJob', 'cronjobs'),
  jobs: grouped<V1Job>('batch/v1', 'Job', 'jobs'),
  leases: grouped<V1Lease>('coordination.k8s.io/v1', 'Lease', 'leases'),
  networkPolicies: grouped<V1NetworkPolicy>('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  roleBindings: grouped<V1RoleBinding>('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
  clusterRoles: grouped<V1ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', false),
  events: grouped<EventsV1Event>('events.k8s.io/v1', 'Event', 'events'),
  validatingWebhooks: grouped<WebhookConfiguration>(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    false,
  ),
  tokenReviews: grouped<V1TokenReview>('authentication.k8s.io/v1', 'TokenReview', 'tokenreviews', false),
} as const;

/** The fields that the operator reads and writes. */
interface WebhookConfiguration {
  metadata?: { name?: string };
  webhooks?: { name: string; clientConfig: { caBundle?: string } }[];
}

/** Addresses one object. */
export interface ObjectRef {
  namespace?: string | undefined;
  name: string;
}

/**
 * The path of one object, or of a collection if `ref` has no name. Without a namespace, the collection has
 * the objects of all namespaces.
 */
export function apiPath(
  kind: ApiKind<unknown>,
  ref: { namespace?: string | undefined; name?: string },
): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const scope =
    kind.namespaced && ref.namespace !== undefined ? `/namespaces/${encodeURIComponent(ref.namespace)}` : '';
  const object = ref.name === undefined ? '' : `/${encodeURIComponent(ref.name)}`;
  return `${root}${scope}/${kind.plural}${object}`;
}

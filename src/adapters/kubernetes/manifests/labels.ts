import { shortHash } from '#domain/scheduling/check-groups.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** Labels of the objects that Millrace creates or reads. */
export const LABEL = {
  kind: 'millrace.dev/kind',
  team: 'millrace.dev/team',
  pipeline: 'millrace.dev/pipeline',
  pipelineId: 'millrace.dev/pipeline-id',
  job: 'millrace.dev/job',
  build: 'millrace.dev/build',
  buildId: 'millrace.dev/build-id',
  attempt: 'millrace.dev/attempt',
  run: 'millrace.dev/run',
  warmPod: 'millrace.dev/warm-pod',
  checkGroup: 'millrace.dev/check-group',
  resource: 'millrace.dev/resource',
  /** On Secrets in a team's namespace: pipelines may read them. */
  usable: 'millrace.dev/usable',
  /**
   * On Pipelines, Teams and OAuthProviders: `api` if Millrace's API created them. The API may change only
   * these.
   */
  madeBy: 'millrace.dev/managed-by',
} as const;

/** Label of nodes that offer a tag; its value is `true`. */
export const nodeLabel = (tag: string): string => `millrace.dev/${labelValue(`tag-${tag}`)}`;

const TAG_LABEL = 'millrace.dev/tag-';

/**
 * The tag of a node's label; undefined for other labels. For a tag with more than 59 characters, both the
 * label and the result have only its beginning and a hash.
 */
export function tagOfNodeLabel(label: string): string | undefined {
  return label.startsWith(TAG_LABEL) ? label.slice(TAG_LABEL.length) : undefined;
}

/** Annotations, for values that do not fit into a label. */
export const ANNOTATION = {
  job: 'millrace.dev/job',
  resources: 'millrace.dev/resources',
  /** On a Pod: the volumes of the Team that it mounts, and for which resources. */
  volumes: 'millrace.dev/volumes',
  /** Digest of the manifest that was applied last (`applyIfChanged`). */
  applied: 'millrace.dev/applied',
  /** On a Pod: proves that Millrace created a Pod with this namespace, name and work. */
  seal: 'millrace.dev/seal',
  /** On a Pipeline: when the value changes, Millrace fetches the texts at `source` again. */
  requestedAt: 'millrace.dev/requested-at',
  /** On objects that the API created: who changed them last through the API. */
  changedBy: 'millrace.dev/changed-by',
  /**
   * On a Pipeline that the API created: name and uid of the object whose pipeline it continues, and the key
   * that identifies the recorded rename.
   */
  renamedFrom: 'millrace.dev/renamed-from',
} as const;

/** Value of the label `madeBy` on objects that the API created. */
export const BY_API = 'api';

/** Delays the deletion of a Team that has Pipelines. */
export const TEAM_FINALIZER = 'millrace.dev/team';

/** Delays the deletion of a Pipeline until its builds have ended, for about a minute at most. */
export const PIPELINE_FINALIZER = 'millrace.dev/pipeline';

/** Label selector of the Pods, CronJobs and PersistentVolumeClaims of Millrace. */
export const OWNED_BY_MILLRACE = `${MANAGED_BY}=millrace`;

const MAX_LABEL_VALUE = 63;

/**
 * The text itself if it is a valid label value. Otherwise a shortened text with `-` for invalid characters,
 * and a hash.
 */
export function labelValue(text: string): string {
  if (text.length <= MAX_LABEL_VALUE && /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(text)) return text;
  const readable = text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_LABEL_VALUE - 9)
    .replace(/(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/, '');
  return readable === '' ? shortHash(text) : `${readable}-${shortHash(text)}`;
}

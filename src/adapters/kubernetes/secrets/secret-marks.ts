import { orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { MANAGED_BY } from '#adapters/kubernetes/manifests/labels.ts';

/**
 * With label tracking, Argo CD assigns every object with this label to the Application that the label names.
 * If the Application's source does not have the object, Argo CD prunes it.
 */
const TRACKING_LABEL = 'app.kubernetes.io/instance';

/**
 * Labels and annotations of every Secret that the operator creates. The keys and passwords in these Secrets
 * exist nowhere else, so Argo CD must not delete them. Argo CD ignores a Secret without the tracking label;
 * if somebody adds the label, the annotations protect the Secret.
 */
export const MARKS = {
  labels: { [MANAGED_BY]: 'millrace' },
  annotations: {
    'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
    'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  },
};

/** A merge patch that adds the marks to a Secret of an older release, and removes the tracking label. */
export const MARKS_PATCH = { ...MARKS, labels: { ...MARKS.labels, [TRACKING_LABEL]: null } };

/** The Secrets that the operator creates and may read. The public gateway marks `<release>-oauth-api`. */
const SUFFIXES = [
  'keys',
  'store',
  'admin',
  'database',
  'internal-ca',
  'internal-tls',
  'postgres-tls',
  'webhook-tls',
];

interface Options {
  client: Pick<ApiClient, 'get' | 'patchMerge'>;
  namespace: string;
  release: string;
}

/**
 * Adds the marks to Secrets that an older release created. Leaves out Secrets that Millrace does not manage.
 */
export async function markSecrets(options: Options): Promise<void> {
  await Promise.all(SUFFIXES.map((suffix) => markSecret(`${options.release}-${suffix}`, options)));
}

async function markSecret(name: string, { client, namespace }: Options): Promise<void> {
  const ref = { namespace, name };
  const found = orAbsent(await client.get(KINDS.secrets, ref), `reading the Secret ${name}`);
  const { labels = {}, annotations = {}, resourceVersion } = found?.metadata ?? {};
  const isMarked = Object.entries(MARKS.annotations).every(([key, value]) => annotations[key] === value);
  if (labels[MANAGED_BY] !== 'millrace' || (isMarked && !(TRACKING_LABEL in labels))) return;
  const patch = { metadata: { ...MARKS_PATCH, resourceVersion } };
  const answer = await client.patchMerge(KINDS.secrets, ref, patch);
  // 409: the Secret has changed since it was read. Another replica is marking it, or the next replica that
  // starts does so.
  if (!answer.ok && answer.status !== 409) orThrow(answer, `marking the Secret ${name}`);
}

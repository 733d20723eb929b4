import { orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { MANAGED_BY } from '#adapters/kubernetes/manifests/labels.ts';

/**
 * Argo CD with label tracking takes every object with this label for one of the Application of that name, and
 * prunes it.
 */
const TRACKING_LABEL = 'app.kubernetes.io/instance';

/**
 * Labels and annotations of every Secret that the operator makes. Its keys and passwords exist nowhere else,
 * so Argo CD must not delete it: without the tracking label it does not see the Secret, and the annotations
 * hold where somebody adds the label.
 */
export const MARKS = {
  labels: { [MANAGED_BY]: 'millrace' },
  annotations: {
    'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
    'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  },
};

/** A merge patch that brings a Secret of an older release up to this. */
export const MARKS_PATCH = { ...MARKS, labels: { ...MARKS.labels, [TRACKING_LABEL]: null } };

/**
 * The Secrets that the operator makes and may read; `<release>-oauth-api` is marked by the public gateway,
 * which alone may write it.
 */
const SUFFIXES = ['keys', 'admin', 'database', 'internal-ca', 'internal-tls', 'postgres-tls', 'webhook-tls'];

interface Options {
  client: Pick<ApiClient, 'get' | 'patchMerge'>;
  namespace: string;
  release: string;
}

/** Marks the Secrets that an older release made. Those that somebody else made are left alone. */
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
  // A conflict: the other replica does the same, or the next start does.
  if (!answer.ok && answer.status !== 409) orThrow(answer, `marking the Secret ${name}`);
}

import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';

/** What objects have that the API looks at. */
export interface ObjectMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/**
 * What came of a write or a read, in words of the flows; the words of the API server about a refusal are for
 * people.
 */
export function objectAnswer<T>(answer: ApiAnswer<T>): ObjectAnswer<T> {
  if (answer.ok) return { answer: 'done', value: answer.value };
  const { status, reason, message } = answer;
  if (status === 404) return { answer: 'unknown' };
  if (status === 409) return { answer: reason === 'AlreadyExists' ? 'exists' : 'changed' };
  if (status === 400 || status === 403 || status === 422) return { answer: 'refused', message };
  return { answer: 'away', message: `The API server of Kubernetes does not answer: ${message}` };
}

/** Only of what the API created. */
export function onlyByApi<T extends { metadata?: ObjectMeta }>(written: ObjectAnswer<T>): ObjectAnswer<T> {
  if (written.answer !== 'done') return written;
  return isByApi(written.value.metadata) ? written : { answer: 'managed' };
}

function isByApi(metadata: ObjectMeta | undefined): boolean {
  return metadata?.labels?.[LABEL.madeBy] === BY_API;
}

/** Who asked for what is written now. */
export function changedBy(by: string): Record<string, string> {
  return { [ANNOTATION.changedBy]: by };
}

interface NewObject {
  name: string;
  namespace?: string;
  by: string;
  finalizer?: string;
  annotations?: Record<string, string>;
  spec?: object;
}

/** A new object of the API's. With a finalizer from the start, nobody deletes it unseen. */
export function newObject<T>(kind: ApiKind<T>, object: NewObject): T {
  const { name, namespace, by, finalizer, annotations, spec = {} } = object;
  const metadata = {
    name,
    namespace,
    labels: { [LABEL.madeBy]: BY_API },
    annotations: { ...changedBy(by), ...annotations },
    finalizers: finalizer === undefined ? undefined : [finalizer],
  };
  // ObjectAnswer in full: what client-node wants beside it is the server's to fill in.
  return JSON.parse(JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec }));
}

export function mapAnswer<T, U>(written: ObjectAnswer<T>, map: (value: T) => U): ObjectAnswer<U> {
  return written.answer === 'done' ? { answer: 'done', value: map(written.value) } : written;
}

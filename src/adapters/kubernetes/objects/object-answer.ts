import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';

/** The metadata that the API reads. */
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

/** Translates a response of the API server for the flows. The message of a refusal is for people. */
export function objectAnswer<T>(answer: ApiAnswer<T>): ObjectAnswer<T> {
  if (answer.ok) return { answer: 'done', value: answer.value };
  const { status, reason, message } = answer;
  if (status === 404) return { answer: 'unknown' };
  if (status === 409) return { answer: reason === 'AlreadyExists' ? 'exists' : 'changed' };
  if (status === 400 || status === 403 || status === 422) return { answer: 'refused', message };
  return { answer: 'unreachable', message: `The API server of Kubernetes does not answer: ${message}` };
}

/** Answers `managed` for objects that the API did not create. */
export function onlyByApi<T extends { metadata?: ObjectMeta }>(written: ObjectAnswer<T>): ObjectAnswer<T> {
  if (written.answer !== 'done') return written;
  return isByApi(written.value.metadata) ? written : { answer: 'managed' };
}

function isByApi(metadata: ObjectMeta | undefined): boolean {
  return metadata?.labels?.[LABEL.madeBy] === BY_API;
}

/** The annotation with the account that requested this write. */
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

/** A new object. It is created with its finalizer, so that no deletion is missed. */
export function newObject<T>(kind: ApiKind<T>, object: NewObject): T {
  const { name, namespace, by, finalizer, annotations, spec = {} } = object;
  const metadata = {
    name,
    namespace,
    labels: { [LABEL.madeBy]: BY_API },
    annotations: { ...changedBy(by), ...annotations },
    finalizers: finalizer === undefined ? undefined : [finalizer],
  };
  // client-node's types require fields that the API server sets.
  return JSON.parse(JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec }));
}

export function mapAnswer<T, U>(written: ObjectAnswer<T>, map: (value: T) => U): ObjectAnswer<U> {
  return written.answer === 'done' ? { answer: 'done', value: map(written.value) } : written;
}

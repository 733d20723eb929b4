import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';

/** The metadata fields that Millrace's API reads. */
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

/** Translates an answer of the API server for the flows. People see the message of a refusal. */
export function objectAnswer<T>(answer: ApiAnswer<T>): ObjectAnswer<T> {
  if (answer.ok) return { answer: 'done', value: answer.value };
  const { status, reason, message } = answer;
  if (status === 404) return { answer: 'unknown' };
  if (status === 409) return { answer: reason === 'AlreadyExists' ? 'exists' : 'changed' };
  if (status === 400 || status === 403 || status === 422) return { answer: 'refused', message };
  return { answer: 'unreachable', message: `The API server of Kubernetes does not answer: ${message}` };
}

/** Turns the answer into `managed` if Millrace's API did not create the object. */
export function onlyByApi<T extends { metadata?: ObjectMeta }>(result: ObjectAnswer<T>): ObjectAnswer<T> {
  if (result.answer !== 'done') return result;
  return isByApi(result.value.metadata) ? result : { answer: 'managed' };
}

function isByApi(metadata: ObjectMeta | undefined): boolean {
  return metadata?.labels?.[LABEL.madeBy] === BY_API;
}

/** The annotation with the account that made this change. */
export function changedBy(by: string): Record<string, string> {
  return { [ANNOTATION.changedBy]: by };
}

interface NewObject {
  name: string;
  namespace?: string;
  /** The account that creates the object. */
  by: string;
  finalizer?: string;
  annotations?: Record<string, string>;
  spec?: object;
}

/** A new object. The finalizer is there from the start, so that the operator misses no deletion. */
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

export function mapAnswer<T, U>(result: ObjectAnswer<T>, map: (value: T) => U): ObjectAnswer<U> {
  return result.answer === 'done' ? { answer: 'done', value: map(result.value) } : result;
}

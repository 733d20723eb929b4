import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { ApiKind, ObjectRef } from '#adapters/kubernetes/api/kinds.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';
import { changedBy, objectAnswer, onlyByApi, type ObjectMeta } from './object-answer.ts';

/**
 * When the operator writes the status, the resource version changes. The write of a spec then fails with a
 * conflict, and is tried again up to this many times.
 */
const MAX_ATTEMPTS = 5;

interface SpecChange<S> {
  /** Undefined: replaces the spec of any generation. */
  generation: number | undefined;
  spec: S;
  /** The account that makes the change. */
  by: string;
  /** Added to the annotations of the object. */
  annotations?: Record<string, string>;
}

/**
 * Replaces the spec and updates the annotations. Returns `changed` if the object has another generation than
 * `generation`, because then its spec has changed, or after MAX_ATTEMPTS conflicts.
 */
export async function replaceSpec<T extends { metadata: ObjectMeta; spec: unknown }>(
  client: Pick<ApiClient, 'get' | 'replace'>,
  kind: ApiKind<T>,
  ref: ObjectRef,
  { generation, spec, by, annotations = {} }: SpecChange<T['spec']>,
): Promise<ObjectAnswer<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const read = onlyByApi(objectAnswer(await client.get(kind, ref)));
    if (read.answer !== 'done') return read;
    const { metadata } = read.value;
    if (generation !== undefined && metadata.generation !== generation) return { answer: 'changed' };
    const allAnnotations = { ...metadata.annotations, ...annotations, ...changedBy(by) };
    const object = { ...read.value, metadata: { ...metadata, annotations: allAnnotations }, spec };
    const written = objectAnswer(await client.replace(kind, object));
    if (written.answer !== 'changed' || attempt === MAX_ATTEMPTS) return written;
  }
}

import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { ApiKind, ObjectRef } from '#adapters/kubernetes/api/kinds.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';
import { changedBy, objectAnswer, onlyByApi, type ObjectMeta } from './written.ts';

/** The operator writes statuses meanwhile, which changes the version but nothing that we looked at. */
const TRIES = 5;

interface SpecChange<S> {
  generation: number | undefined;
  spec: S;
  by: string;
  /** Besides those that are there. */
  annotations?: Record<string, string>;
}

/**
 * Another spec, unless somebody else gave it one since that generation; everything else of the object stays.
 */
export async function replaceSpec<T extends { metadata: ObjectMeta; spec: unknown }>(
  client: Pick<ApiClient, 'get' | 'replace'>,
  kind: ApiKind<T>,
  ref: ObjectRef,
  { generation, spec, by, annotations = {} }: SpecChange<T['spec']>,
): Promise<ObjectAnswer<T>> {
  for (let tried = 1; ; tried += 1) {
    const read = onlyByApi(objectAnswer(await client.get(kind, ref)));
    if (read.answer !== 'done') return read;
    const { metadata } = read.value;
    if (generation !== undefined && metadata.generation !== generation) return { answer: 'changed' };
    const all = { ...metadata.annotations, ...annotations, ...changedBy(by) };
    const wanted = { ...read.value, metadata: { ...metadata, annotations: all }, spec };
    const written = objectAnswer(await client.replace(kind, wanted));
    if (written.answer !== 'changed' || tried === TRIES) return written;
  }
}

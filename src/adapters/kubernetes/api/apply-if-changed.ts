import { createHash } from 'node:crypto';
import { ANNOTATION } from '#adapters/kubernetes/manifests/labels.ts';
import type { ApiAnswer } from './answer.ts';
import type { ApiClient } from './client.ts';
import type { ApiKind } from './kinds.ts';

interface ObjectWithMetadata {
  metadata?: { name?: string; namespace?: string; annotations?: Record<string, string> };
}

/**
 * Applies `desired` unless `current` has all its fields with equal values. This undoes changes that others
 * made to these fields. An annotation holds a digest of `desired`: if a field is removed from `desired`, the
 * digest differs, so the object is applied again and the API server removes the field.
 */
export async function applyIfChanged<T extends ObjectWithMetadata>(
  client: Pick<ApiClient, 'apply'>,
  kind: ApiKind<T>,
  desired: T,
  current: T | undefined,
): Promise<ApiAnswer<'applied' | 'same'>> {
  const marked = withDigest(desired);
  if (current !== undefined && covers(current, marked)) return { ok: true, value: 'same' };
  const answer = await client.apply(kind, marked);
  return answer.ok ? { ok: true, value: 'applied' } : answer;
}

/** Adds the digest of the object as an annotation. */
function withDigest<T extends ObjectWithMetadata>(desired: T): T {
  const digest = createHash('sha256').update(JSON.stringify(desired)).digest('hex').slice(0, 16);
  const annotations = { ...desired.metadata?.annotations, [ANNOTATION.applied]: digest };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

/** Whether `current` has every field of `desired` with an equal value. Lists must have equal lengths. */
export function covers(current: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) {
    return (
      Array.isArray(current) &&
      current.length === desired.length &&
      desired.every((item, index) => covers(current[index], item))
    );
  }
  if (typeof desired !== 'object' || desired === null) return current === desired;
  if (typeof current !== 'object' || current === null) return Object.keys(desired).length === 0;
  const fields = new Map<string, unknown>(Object.entries(current));
  return Object.entries(desired).every(([name, value]) => covers(fields.get(name), value));
}

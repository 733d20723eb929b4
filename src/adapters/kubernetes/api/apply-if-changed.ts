import { createHash } from 'node:crypto';
import { ANNOTATION } from '#adapters/kubernetes/manifests/labels.ts';
import type { ApiAnswer } from './answer.ts';
import type { ApiClient } from './client.ts';
import type { ApiKind } from './kinds.ts';

interface ObjectWithMetadata {
  metadata?: { name?: string; namespace?: string; annotations?: Record<string, string> };
}

/**
 * Applies the object unless the current one is equal. An annotation has the digest of the last applied text,
 * so removed fields are noticed. Every field is compared, so changes by others are undone.
 */
export async function applyIfChanged<T extends ObjectWithMetadata>(
  client: Pick<ApiClient, 'apply'>,
  kind: ApiKind<T>,
  wanted: T,
  current: T | undefined,
): Promise<ApiAnswer<'applied' | 'same'>> {
  const marked = withDigest(wanted);
  if (current !== undefined && covers(current, marked)) return { ok: true, value: 'same' };
  const answer = await client.apply(kind, marked);
  return answer.ok ? { ok: true, value: 'applied' } : answer;
}

/** Adds the digest of the object as an annotation. */
function withDigest<T extends ObjectWithMetadata>(wanted: T): T {
  const digest = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16);
  const annotations = { ...wanted.metadata?.annotations, [ANNOTATION.applied]: digest };
  return { ...wanted, metadata: { ...wanted.metadata, annotations } };
}

/**
 * Whether every field of `wanted` is in `current` with an equal value. Lists must have the same number of
 * items.
 */
export function covers(current: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(current) &&
      current.length === wanted.length &&
      wanted.every((item, index) => covers(current[index], item))
    );
  }
  if (typeof wanted !== 'object' || wanted === null) return current === wanted;
  if (typeof current !== 'object' || current === null) return Object.keys(wanted).length === 0;
  const fields = new Map<string, unknown>(Object.entries(current));
  return Object.entries(wanted).every(([name, value]) => covers(fields.get(name), value));
}

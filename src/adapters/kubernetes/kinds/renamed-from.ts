import { ANNOTATION } from '#adapters/kubernetes/manifests/labels.ts';
import type { RenamedFrom } from '#flows/pipelines/rename-ports.ts';

/** The value of the annotation: three parts, joined by slashes. */
export function renamedFromText({ name, uid, key }: RenamedFrom): string {
  return [name, uid, key].join('/');
}

/**
 * Parses the annotation. Missing parts are empty, because a malformed annotation must not count as a missing
 * annotation.
 */
export function renamedFromOf(annotations: Record<string, string> | undefined): RenamedFrom | undefined {
  const text = annotations?.[ANNOTATION.renamedFrom];
  if (text === undefined) return undefined;
  const [name = '', uid = '', ...keyParts] = text.split('/');
  return { name, uid, key: keyParts.join('/') };
}

import { ANNOTATION } from '#adapters/kubernetes/manifests/labels.ts';
import type { RenamedFrom } from '#flows/pipelines/rename-ports.ts';

/** As the annotation has it: three parts of which none has a slash. */
export function renamedFromText({ name, uid, key }: RenamedFrom): string {
  return [name, uid, key].join('/');
}

/**
 * What the annotation says; empty parts for what it lacks, since one that cannot be read is no leave to go on
 * without it.
 */
export function renamedFromOf(annotations: Record<string, string> | undefined): RenamedFrom | undefined {
  const text = annotations?.[ANNOTATION.renamedFrom];
  if (text === undefined) return undefined;
  const [name = '', uid = '', ...rest] = text.split('/');
  return { name, uid, key: rest.join('/') };
}

import type { Reason } from './reasons.ts';

/** Why people may not change a field that the Pipeline object sets. Undefined: they may. */
export function whyManaged(byManifest: boolean): Reason | undefined {
  if (!byManifest) return undefined;
  const message = 'The Pipeline object sets this itself, and the object wins. Change its spec.';
  return { code: 'ManagedByManifest', message };
}

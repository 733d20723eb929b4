import type { Reason } from './reasons.ts';

/** Why people may not change what the Pipeline object itself sets; undefined when they may. */
export function whyManaged(byManifest: boolean): Reason | undefined {
  if (!byManifest) return undefined;
  const message = 'The Pipeline object says so itself, and what it says wins: change its spec.';
  return { code: 'ManagedByManifest', message };
}

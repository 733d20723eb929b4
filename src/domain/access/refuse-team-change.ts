import type { ChangeRefusal } from './last-admin.ts';

/**
 * For each field of a team, whether the manifest sets it. If so, only a change of the manifest can change it.
 */
export interface ManagedFields {
  displayName: boolean;
  groups: boolean;
  /** The permission to open shells in builds. */
  debug: boolean;
}

/** Why people may not change these fields of a team. Undefined: they may. */
export function refuseTeamChange(
  managed: ManagedFields,
  change: { displayName?: string; groups?: readonly unknown[]; debug?: boolean },
): ChangeRefusal | undefined {
  if (managed.displayName && change.displayName !== undefined) return refusal('display name');
  if (managed.groups && change.groups !== undefined) return refusal('groups');
  if (managed.debug && change.debug !== undefined) return refusal('permission for shells');
  return undefined;
}

function refusal(field: string): ChangeRefusal {
  const message = `The manifest of this team sets its ${field}. Change the manifest.`;
  return { reason: 'managed-by-manifest', message };
}

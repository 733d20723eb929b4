import type { AccessRefusal } from './last-admin.ts';

/** Fields of a team that its manifest sets: it decides. */
export interface ManagedFields {
  displayName: boolean;
  groups: boolean;
}

/** Why people may not change these fields of a team; undefined when they may. */
export function refuseTeamChange(
  managed: ManagedFields,
  change: { displayName?: string; groups?: readonly unknown[] },
): AccessRefusal | undefined {
  if (managed.displayName && change.displayName !== undefined) return refusal('The display name');
  if (managed.groups && change.groups !== undefined) return refusal('The groups');
  return undefined;
}

function refusal(what: string): AccessRefusal {
  const message = `${what} of this team is said by its manifest: change it there.`;
  return { reason: 'managed-by-manifest', message };
}

import type { Role } from './roles.ts';

/** What is known about a person and a team before a change of their membership. */
export interface MemberFacts {
  /** Undefined: the person is not a member. */
  role: Role | undefined;
  /** Number of other admins of the team whose accounts are enabled. */
  otherAdmins: number;
  /** The Team object lists the members, so only a change of that object can change them. */
  byManifest: boolean;
}

export interface ChangeRefusal {
  reason: 'last-admin' | 'managed-by-manifest' | 'not-a-member' | 'already-a-member';
  message: string;
}

const NO_MEMBER =
  'They are not a member of this team. If a group gives them a role, remove the group from the team.';

/**
 * Why a person may not get the role `newRole` in a team, or leave it (`newRole` undefined). Undefined: they
 * may. A team with an admin always keeps one.
 */
export function refuseMemberChange(facts: MemberFacts, newRole: Role | undefined): ChangeRefusal | undefined {
  if (facts.byManifest) {
    const message = 'The manifest of this team lists its members. Change the manifest.';
    return { reason: 'managed-by-manifest', message };
  }
  if (newRole === undefined && facts.role === undefined) {
    return { reason: 'not-a-member', message: NO_MEMBER };
  }
  if (facts.role === 'admin' && newRole !== 'admin' && facts.otherAdmins === 0) {
    return {
      reason: 'last-admin',
      message: 'They are the last admin of this team: make somebody else admin first.',
    };
  }
  return undefined;
}

/** Why a person may not become a member of a team. Undefined: they may. */
export function refuseNewMember(facts: MemberFacts, newRole: Role): ChangeRefusal | undefined {
  if (facts.role !== undefined && !facts.byManifest) {
    return {
      reason: 'already-a-member',
      message: `They are already a member, with the role ${facts.role}. Change that role instead.`,
    };
  }
  return refuseMemberChange(facts, newRole);
}

/**
 * Why a team may not have the members that its manifest lists. Undefined: it may. `before` and `after`:
 * number of admins with an enabled account before and after the change. A team that has such an admin always
 * keeps one.
 */
export function refuseMembers({ before, after }: { before: number; after: number }): string | undefined {
  if (before === 0 || after > 0) return undefined;
  return (
    'No member with the role admin in the manifest has an enabled account. ' +
    'The team would be without an admin, so its members stay unchanged.'
  );
}

/** What is known about an account before it is deleted, disabled, or no longer a global admin. */
export interface AccountFacts {
  globalAdmin: boolean;
  /** Number of other global admins whose accounts are enabled. */
  otherGlobalAdmins: number;
  /** Names of the teams whose only admin with an enabled account is this one. */
  lastAdminOf: readonly string[];
}

/** Why an account must stay global admin. Undefined: it may lose this right, or does not have it. */
export function refuseDemotion({ globalAdmin, otherGlobalAdmins }: AccountFacts): ChangeRefusal | undefined {
  if (!globalAdmin || otherGlobalAdmins > 0) return undefined;
  const message = 'They are the last global admin: make somebody else global admin first.';
  return { reason: 'last-admin', message };
}

/** Why an account may not be deleted or disabled. Undefined: it may. */
export function refuseAccountRemoval(facts: AccountFacts): ChangeRefusal | undefined {
  const demotionRefusal = refuseDemotion(facts);
  if (demotionRefusal !== undefined || facts.lastAdminOf.length === 0) return demotionRefusal;
  const message = `They are the last admin of ${facts.lastAdminOf.join(', ')}: make somebody else admin there first.`;
  return { reason: 'last-admin', message };
}

/** Why an account may not be changed in this way. Undefined: it may. An absent field does not change. */
export function refuseAccountChange(
  facts: AccountFacts,
  { globalAdmin, disabled }: { globalAdmin?: boolean; disabled?: boolean },
): ChangeRefusal | undefined {
  if (disabled === true) return refuseAccountRemoval(facts);
  return globalAdmin === false ? refuseDemotion(facts) : undefined;
}

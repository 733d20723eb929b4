import type { Role } from './roles.ts';

/** What is known of a member before a change. */
export interface MemberFacts {
  role: Role | undefined;
  /** Admins of the team beside this member. */
  otherAdmins: number;
  /** The Team object names the members: it decides. */
  byManifest: boolean;
}

export interface AccessRefusal {
  reason: 'last-admin' | 'managed-by-manifest' | 'not-a-member' | 'already-a-member';
  message: string;
}

/**
 * Why a member may not get this role, or leave (`to` undefined); undefined when they may. A team keeps an
 * admin once it has one.
 */
export function refuseMemberChange(facts: MemberFacts, to: Role | undefined): AccessRefusal | undefined {
  if (facts.byManifest) {
    const message = 'The members of this team are named by its manifest: change it there.';
    return { reason: 'managed-by-manifest', message };
  }
  if (to === undefined && facts.role === undefined) {
    return { reason: 'not-a-member', message: 'They are not a member of this team.' };
  }
  if (facts.role === 'admin' && to !== 'admin' && facts.otherAdmins === 0) {
    return {
      reason: 'last-admin',
      message: 'They are the last admin of this team: make somebody else admin first.',
    };
  }
  return undefined;
}

/** The same for somebody who is to be added. */
export function refuseNewMember(facts: MemberFacts, to: Role): AccessRefusal | undefined {
  if (facts.role !== undefined && !facts.byManifest) {
    return { reason: 'already-a-member', message: `They are a member already, with the role ${facts.role}.` };
  }
  return refuseMemberChange(facts, to);
}

/**
 * Why a team may not have the members that its manifest names; undefined when it may. It keeps an admin once
 * it has one.
 */
export function refuseMembers({ before, after }: { before: number; after: number }): string | undefined {
  if (before === 0 || after > 0) return undefined;
  return 'None of the members that the manifest names with the role admin has an account that is on: the team would be left without an admin, so its members stay as they were.';
}

/** What is known of an account before it goes, or stops being a global admin. */
export interface AccountFacts {
  globalAdmin: boolean;
  otherGlobalAdmins: number;
  /** Teams of which this is the last admin. */
  lastAdminOf: readonly string[];
}

export function refuseDemotion({ globalAdmin, otherGlobalAdmins }: AccountFacts): AccessRefusal | undefined {
  if (!globalAdmin || otherGlobalAdmins > 0) return undefined;
  const message = 'They are the last global admin: make somebody else global admin first.';
  return { reason: 'last-admin', message };
}

export function refuseAccountRemoval(facts: AccountFacts): AccessRefusal | undefined {
  const demoted = refuseDemotion(facts);
  if (demoted !== undefined || facts.lastAdminOf.length === 0) return demoted;
  const message = `They are the last admin of ${facts.lastAdminOf.join(', ')}: make somebody else admin there first.`;
  return { reason: 'last-admin', message };
}

/** Why an account may not be changed like this; undefined when it may. */
export function refuseAccountChange(
  facts: AccountFacts,
  { globalAdmin, disabled }: { globalAdmin?: boolean; disabled?: boolean },
): AccessRefusal | undefined {
  if (disabled === true) return refuseAccountRemoval(facts);
  return globalAdmin === false ? refuseDemotion(facts) : undefined;
}

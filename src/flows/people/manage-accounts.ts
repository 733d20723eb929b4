import {
  refuseAccountChange,
  refuseAccountRemoval,
  refuseMemberChange,
  refuseNewMember,
  type ChangeRefusal,
} from '#domain/access/last-admin.ts';
import { passwordFault, usernameFault } from '#domain/access/names-and-passwords.ts';
import type { Role } from '#domain/access/roles.ts';
import type {
  AccountChange,
  AccountStore,
  AuditedAct,
  ChangeResult,
  LockedMember,
  Membership,
  MemberStore,
  Passwords,
} from './ports.ts';

interface Ports {
  accounts: AccountStore;
  passwords: Pick<Passwords, 'hash' | 'isCommon'>;
}

export type AccountMade = { answer: 'created' | 'taken' } | { answer: 'fault'; message: string };

/**
 * An admin creates an account. If the account gets a password, its user has to change it at the first
 * sign-in. An account without a password can only sign in with a provider.
 */
export async function createAccount(
  account: { username: string; fullName: string; globalAdmin: boolean; password: string | undefined },
  act: AuditedAct,
  ports: Ports,
): Promise<AccountMade> {
  const { username, fullName, globalAdmin, password } = account;
  const fault = usernameFault(username) ?? newPasswordFault(password, username, ports);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const credentials = password === undefined ? {} : { passwordHash: await ports.passwords.hash(password) };
  const mustChangePassword = password !== undefined;
  const newAccount = { username, fullName, globalAdmin, mustChangePassword, ...credentials };
  return { answer: await ports.accounts.createAccount(newAccount, act) };
}

/**
 * An admin changes an account. A new password ends every session of the account and, unless `keepTokens`, its
 * API tokens. The user has to change that password at the next sign-in.
 */
export async function changeAccount(
  username: string,
  {
    password,
    keepTokens = false,
    ...change
  }: {
    fullName?: string;
    globalAdmin?: boolean;
    disabled?: boolean;
    password?: string;
    keepTokens?: boolean;
  },
  act: AuditedAct,
  ports: Ports,
): Promise<ChangeResult | { answer: 'fault'; message: string }> {
  const fault = newPasswordFault(password, username, ports);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const credentials =
    password === undefined
      ? {}
      : { password: { hash: await ports.passwords.hash(password), mustChange: true, keepTokens } };
  return await writeAccountChange(username, { ...change, ...credentials }, act, ports);
}

function newPasswordFault(
  password: string | undefined,
  username: string,
  { passwords }: Ports,
): string | undefined {
  if (password === undefined) return undefined;
  return passwordFault(password, username, (candidate) => passwords.isCommon(candidate));
}

/** Writes a change of an account. A password in `change` is validated and hashed already. */
export async function writeAccountChange(
  username: string,
  change: AccountChange,
  act: AuditedAct,
  { accounts }: { accounts: Pick<AccountStore, 'withAccount'> },
): Promise<ChangeResult> {
  return await accounts.withAccount(username, async (tx): Promise<ChangeResult> => {
    const account = await tx.account();
    if (account === undefined) return { answer: 'unknown', what: `User ${username}` };
    const refusal = refuseAccountChange(account, change);
    if (refusal !== undefined) return { answer: 'refused', refusal };
    await tx.change(account, change, act);
    return DONE;
  });
}

const DONE = { answer: 'done', value: undefined } as const;

export async function removeAccount(
  username: string,
  act: AuditedAct,
  { accounts }: Pick<Ports, 'accounts'>,
): Promise<ChangeResult> {
  return await accounts.withAccount(username, async (tx): Promise<ChangeResult> => {
    const account = await tx.account();
    if (account === undefined) return { answer: 'unknown', what: `User ${username}` };
    const refusal = refuseAccountRemoval(account);
    if (refusal !== undefined) return { answer: 'refused', refusal };
    await tx.remove(account, act);
    return DONE;
  });
}

type Members = Pick<MemberStore, 'withMember'>;

export async function addMember(
  { role, ...member }: Membership & { role: Role },
  act: AuditedAct,
  members: Members,
): Promise<ChangeResult> {
  return await changeMember(member, { role, refuse: (facts) => refuseNewMember(facts, role), act }, members);
}

/** Changes a member's role, or adds the account as a member. */
export async function changeRole(
  { role, ...member }: Membership & { role: Role },
  act: AuditedAct,
  members: Members,
): Promise<ChangeResult> {
  return await changeMember(
    member,
    { role, refuse: (facts) => refuseMemberChange(facts, role), act },
    members,
  );
}

export async function removeMember(
  member: Membership,
  act: AuditedAct,
  members: Members,
): Promise<ChangeResult> {
  const change = {
    role: undefined,
    refuse: (facts: LockedMember) => refuseMemberChange(facts, undefined),
    act,
  };
  return await changeMember(member, change, members);
}

interface MemberChange {
  /** Undefined: remove the member. */
  role: Role | undefined;
  refuse: (member: LockedMember) => ChangeRefusal | undefined;
  act: AuditedAct;
}

async function changeMember(
  { team, username }: Membership,
  { role, refuse, act }: MemberChange,
  members: Members,
): Promise<ChangeResult> {
  return await members.withMember({ team, username }, async (tx): Promise<ChangeResult> => {
    const member = await tx.member();
    if ('unknown' in member)
      return { answer: 'unknown', what: member.unknown === 'team' ? `Team ${team}` : `User ${username}` };
    const refusal = refuse(member);
    if (refusal !== undefined) return { answer: 'refused', refusal };
    if (role === undefined) await tx.remove(member, act);
    else if (role !== member.role) await tx.setRole(member, role, act);
    return DONE;
  });
}

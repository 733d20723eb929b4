import {
  refuseAccountRemoval,
  refuseDemotion,
  refuseMemberChange,
  refuseNewMember,
} from '#domain/access/last-admin.ts';
import { passwordFault, usernameFault } from '#domain/access/names-and-passwords.ts';
import type { Role } from '#domain/access/roles.ts';
import type { AccountStore, Act, Changed, MemberStore, Passwords } from './access-ports.ts';

interface Ports {
  accounts: AccountStore;
  passwords: Pick<Passwords, 'hash' | 'isCommon'>;
}

export type AccountMade = { answer: 'created' | 'taken' } | { answer: 'fault'; message: string };

/** By an admin. The password that they give is to be changed at the first sign-in. */
export async function createAccount(
  account: { username: string; fullName: string; globalAdmin: boolean; password: string | undefined },
  act: Act,
  ports: Ports,
): Promise<AccountMade> {
  const { username, fullName, globalAdmin, password } = account;
  const fault =
    usernameFault(username) ??
    (password === undefined
      ? undefined
      : passwordFault(password, username, (one) => ports.passwords.isCommon(one)));
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const given = password === undefined ? {} : { passwordHash: await ports.passwords.hash(password) };
  const made = { username, fullName, globalAdmin, mustChangePassword: password !== undefined, ...given };
  return { answer: await ports.accounts.createAccount(made, act) };
}

/** By an admin. A password that they give ends every session and API token of the account, and is to be changed at the next sign-in. */
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
  act: Act,
  ports: Ports,
): Promise<Changed | { answer: 'fault'; message: string }> {
  const fault =
    password === undefined
      ? undefined
      : passwordFault(password, username, (one) => ports.passwords.isCommon(one));
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const given =
    password === undefined
      ? {}
      : { password: { hash: await ports.passwords.hash(password), mustChange: true, keepTokens } };
  return await ports.accounts.changeAccount(username, { ...change, ...given }, act, (facts) =>
    change.disabled === true ? refuseAccountRemoval(facts) : refuseDemotion(facts),
  );
}

export async function removeAccount(
  username: string,
  act: Act,
  { accounts }: Pick<Ports, 'accounts'>,
): Promise<Changed> {
  return await accounts.removeAccount(username, act, refuseAccountRemoval);
}

interface Membership {
  team: string;
  username: string;
}

export async function addMember(
  { role, ...member }: Membership & { role: Role },
  act: Act,
  members: Pick<MemberStore, 'changeMember'>,
): Promise<Changed> {
  return await members.changeMember({ ...member, role }, act, (facts) => refuseNewMember(facts, role));
}

/** Another role, which makes them a member if they are none. */
export async function changeRole(
  { role, ...member }: Membership & { role: Role },
  act: Act,
  members: Pick<MemberStore, 'changeMember'>,
): Promise<Changed> {
  return await members.changeMember({ ...member, role }, act, (facts) => refuseMemberChange(facts, role));
}

export async function removeMember(
  member: Membership,
  act: Act,
  members: Pick<MemberStore, 'changeMember'>,
): Promise<Changed> {
  return await members.changeMember({ ...member, role: undefined }, act, (facts) =>
    refuseMemberChange(facts, undefined),
  );
}

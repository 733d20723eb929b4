import { passwordFault } from '#domain/access/names-and-passwords.ts';
import { writeAccountChange } from './manage-accounts.ts';
import type { AccountStore, Passwords } from './ports.ts';
import { openUserSession, type Caller, type OpenedSession, type SignInPorts } from './sign-in.ts';
import { throttleAttempt } from './throttle.ts';

export interface ChangePasswordPorts extends Omit<SignInPorts, 'accounts' | 'passwords'> {
  accounts: Pick<AccountStore, 'credentials' | 'withAccount'>;
  passwords: Passwords;
}

export interface PasswordChange {
  username: string;
  /** The current password. Undefined is enough for an account without a password. */
  current: string | undefined;
  newPassword: string;
  /** The user signed in a moment ago. An account without a password needs this in place of `current`. */
  fresh: boolean;
  /** API tokens of the account stay valid. */
  keepTokens: boolean;
  caller: Caller;
}

export type PasswordChanged =
  | { answer: 'changed'; session: OpenedSession }
  | { answer: 'wrong-current' | 'gone' | 'not-fresh' }
  | { answer: 'fault'; message: string }
  | { answer: 'wait'; seconds: number };

/**
 * Changes the user's own password. Ends all their sessions and, unless `keepTokens`, their API tokens. The
 * caller gets a new session.
 */
export async function changePassword(
  change: PasswordChange,
  ports: ChangePasswordPorts,
): Promise<PasswordChanged> {
  const { username, newPassword, keepTokens, caller } = change;
  const fault =
    passwordFault(newPassword, username, (password) => ports.passwords.isCommon(password)) ??
    (newPassword === change.current ? SAME : undefined);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const account = await ports.accounts.credentials(username);
  if (account === undefined) return { answer: 'gone' };
  const refused =
    account.passwordHash === undefined
      ? refuseStale(change)
      : await refuseCurrent(account.passwordHash, change, ports);
  if (refused !== undefined) return refused;
  const password = { hash: await ports.passwords.hash(newPassword), mustChange: false, keepTokens };
  await writeAccountChange(username, { password }, { by: username, at: ports.now() }, ports);
  const changed = await ports.accounts.credentials(username);
  const session =
    changed && (await openUserSession(changed, { action: 'user.session_renewed' }, caller, ports));
  return session === undefined ? { answer: 'gone' } : { answer: 'changed', session };
}

const SAME = 'The new password is the same as the current one.';

/** Requires a recent sign-in, so that an unattended browser is not enough to set a password. */
function refuseStale({ fresh }: PasswordChange): PasswordChanged | undefined {
  return fresh ? undefined : { answer: 'not-fresh' };
}

/**
 * Requires the current password, and limits the attempts, so that nobody can guess it at an unattended
 * browser.
 */
async function refuseCurrent(
  hash: string,
  { username, current }: PasswordChange,
  ports: ChangePasswordPorts,
): Promise<PasswordChanged | undefined> {
  const keys = [{ kind: 'account' as const, name: username }];
  const wait = await throttleAttempt(keys, ports);
  if (wait > 0) return { answer: 'wait', seconds: Math.ceil(wait / 1000) };
  if (!(await ports.passwords.verify(hash, current ?? ''))) return { answer: 'wrong-current' };
  await ports.throttle.forgive(keys);
  return undefined;
}

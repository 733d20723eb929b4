/** How an account can sign in. */
export interface AccountSignIn {
  username: string;
  hasPassword: boolean;
  /** Names of the providers that the account is linked to. */
  linked: readonly string[];
}

/** The ways to sign in that the installation offers. */
export interface EnabledSignIn {
  /** People can sign in with a user name and password. */
  local: boolean;
  /** Names of the enabled providers. */
  providers: readonly string[];
}

/** A refusal names up to this many users and counts the others. */
const MAX_NAMES = 5;

function canSignIn({ hasPassword, linked }: AccountSignIn, { local, providers }: EnabledSignIn): boolean {
  return (local && hasPassword) || linked.some((provider) => providers.includes(provider));
}

/** Names of the users who could sign in before a change, but not after it. */
export function usersLockedOut(
  users: readonly AccountSignIn[],
  before: EnabledSignIn,
  after: EnabledSignIn,
): string[] {
  return users
    .filter((user) => canSignIn(user, before) && !canSignIn(user, after))
    .map(({ username }) => username);
}

/** Why a provider may not be deleted or disabled. Undefined: it may. `offered`: before the change. */
export function refuseProviderLoss(
  users: readonly AccountSignIn[],
  provider: string,
  offered: EnabledSignIn,
): string | undefined {
  const remaining = { ...offered, providers: offered.providers.filter((name) => name !== provider) };
  const lockedOut = usersLockedOut(users, offered, remaining);
  if (lockedOut.length === 0) return undefined;
  return (
    `${provider} is the only way to sign in for ${listUsernames(lockedOut)}. ` +
    'First give them a password, or let them link another provider.'
  );
}

/**
 * Why signing in with a password may not be turned off. Undefined: it may, because every user can sign in
 * with an enabled provider.
 */
export function refuseLocalLoss(
  users: readonly AccountSignIn[],
  { providers }: EnabledSignIn,
): string | undefined {
  if (providers.length === 0) return 'No provider is enabled: nobody could sign in.';
  const withoutProvider = users.filter(
    ({ linked }) => !linked.some((provider) => providers.includes(provider)),
  );
  if (withoutProvider.length === 0) return undefined;
  const usernames = withoutProvider.map(({ username }) => username);
  return `${listUsernames(usernames)} cannot sign in with any enabled provider. Let them link one first.`;
}

/** Why an account may not be unlinked from a provider. Undefined: it may. */
export function refuseUnlink(
  user: AccountSignIn,
  provider: string,
  offered: EnabledSignIn,
): string | undefined {
  const after = { ...user, linked: user.linked.filter((name) => name !== provider) };
  if (!canSignIn(user, offered) || canSignIn(after, offered)) return undefined;
  return 'This is your only way to sign in. First set a password or link another provider.';
}

function listUsernames(usernames: readonly string[]): string {
  const shown = usernames.slice(0, MAX_NAMES).join(', ');
  const others = usernames.length - MAX_NAMES;
  return others > 0 ? `${shown} and ${others} more` : shown;
}

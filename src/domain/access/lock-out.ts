/** How an account can sign in. */
export interface AccountSignIn {
  username: string;
  hasPassword: boolean;
  /** Providers that the account is linked to. */
  linked: readonly string[];
}

/** The ways to sign in that the installation offers. */
export interface EnabledSignIn {
  local: boolean;
  /** Enabled providers. */
  providers: readonly string[];
}

/** User names in a refusal. The others are counted. */
const MAX_NAMES = 5;

function canSignIn({ hasPassword, linked }: AccountSignIn, { local, providers }: EnabledSignIn): boolean {
  return (local && hasPassword) || linked.some((provider) => providers.includes(provider));
}

/** Users who could sign in before a change, but not after it. */
export function usersLockedOut(
  users: readonly AccountSignIn[],
  before: EnabledSignIn,
  after: EnabledSignIn,
): string[] {
  return users
    .filter((user) => canSignIn(user, before) && !canSignIn(user, after))
    .map(({ username }) => username);
}

/** Why a provider may not be deleted or disabled. Undefined: it may. */
export function refuseProviderLoss(
  users: readonly AccountSignIn[],
  provider: string,
  offered: EnabledSignIn,
): string | undefined {
  const left = { ...offered, providers: offered.providers.filter((one) => one !== provider) };
  const out = usersLockedOut(users, offered, left);
  if (out.length === 0) return undefined;
  return (
    `${provider} is the only way to sign in for ${named(out)}. ` +
    'First give them a password, or let them link another provider.'
  );
}

/**
 * Why signing in with a password may not be turned off. Undefined: it may, since every account is linked to
 * an enabled provider.
 */
export function refuseLocalLoss(
  users: readonly AccountSignIn[],
  { providers }: EnabledSignIn,
): string | undefined {
  if (providers.length === 0) return 'No provider is enabled: nobody could sign in.';
  const without = users.filter(({ linked }) => !linked.some((one) => providers.includes(one)));
  if (without.length === 0) return undefined;
  const usernames = without.map(({ username }) => username);
  return `${named(usernames)} cannot sign in with any enabled provider. Let them link one first.`;
}

/** Why an account may not be unlinked from a provider. Undefined: it may. */
export function refuseUnlink(
  user: AccountSignIn,
  provider: string,
  offered: EnabledSignIn,
): string | undefined {
  const after = { ...user, linked: user.linked.filter((one) => one !== provider) };
  if (!canSignIn(user, offered) || canSignIn(after, offered)) return undefined;
  return 'This is your only way to sign in. First set a password or link another provider.';
}

function named(usernames: readonly string[]): string {
  const shown = usernames.slice(0, MAX_NAMES).join(', ');
  const others = usernames.length - MAX_NAMES;
  return others > 0 ? `${shown} and ${others} more` : shown;
}

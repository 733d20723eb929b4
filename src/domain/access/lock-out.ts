/** How somebody could sign in. */
export interface Ways {
  username: string;
  hasPassword: boolean;
  /** Providers that an identity of theirs is linked with. */
  linked: readonly string[];
}

/** What the installation offers to everybody. */
export interface Offered {
  local: boolean;
  /** Those that are enabled. */
  providers: readonly string[];
}

/** Who is named in a refusal; the others are counted. */
const MOST_NAMED = 5;

function canSignIn({ hasPassword, linked }: Ways, { local, providers }: Offered): boolean {
  return (local && hasPassword) || linked.some((provider) => providers.includes(provider));
}

/** Who can sign in before a change and could not after it. */
export function lockedOut(users: readonly Ways[], before: Offered, after: Offered): string[] {
  return users
    .filter((user) => canSignIn(user, before) && !canSignIn(user, after))
    .map(({ username }) => username);
}

/** Why a provider may not go or be disabled; undefined when it may. */
export function refuseProviderLoss(
  users: readonly Ways[],
  provider: string,
  offered: Offered,
): string | undefined {
  const left = { ...offered, providers: offered.providers.filter((one) => one !== provider) };
  const out = lockedOut(users, offered, left);
  if (out.length === 0) return undefined;
  return `${provider} is the only way to sign in for ${named(out)}: give them a password, or let them link another provider, first.`;
}

/**
 * Why signing in by password may not be turned off: everybody needs a link with a provider that is enabled.
 */
export function refuseLocalLoss(users: readonly Ways[], { providers }: Offered): string | undefined {
  if (providers.length === 0) return 'No provider is enabled: nobody could sign in.';
  const without = users.filter(({ linked }) => !linked.some((one) => providers.includes(one)));
  if (without.length === 0) return undefined;
  return `${named(without.map(({ username }) => username))} cannot sign in by any provider that is enabled: let them link one first.`;
}

/** Why somebody may not give up a link; undefined when they may. */
export function refuseUnlink(user: Ways, provider: string, offered: Offered): string | undefined {
  const after = { ...user, linked: user.linked.filter((one) => one !== provider) };
  if (!canSignIn(user, offered) || canSignIn(after, offered)) return undefined;
  return 'It is your only way to sign in: set a password, or link another provider, first.';
}

function named(usernames: readonly string[]): string {
  const shown = usernames.slice(0, MOST_NAMED).join(', ');
  const others = usernames.length - MOST_NAMED;
  return others > 0 ? `${shown} and ${others} more` : shown;
}

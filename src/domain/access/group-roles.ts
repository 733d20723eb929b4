import type { Role } from './roles.ts';

/** The role of whoever an identity provider counts to a group. */
export interface GroupRole {
  claim: string;
  /** Name of the OAuthProvider whose groups are meant; absent: of the only one that tells groups. */
  provider?: string;
  role: Role;
}

export interface IgnoredGroups {
  reason: 'ProviderRequired' | 'UnknownProvider';
  message: string;
}

const MOST_NAMED = 10;

/**
 * Which groups give no role, and why. A name of a group says nothing without the provider that tells it:
 * where people can make groups of their own, they would take the name of somebody else's.
 */
export function ignoredGroups(
  groups: readonly GroupRole[],
  telling: readonly string[],
): IgnoredGroups | undefined {
  const open = groups.filter(({ provider }) => provider === undefined);
  if (open.length > 0 && telling.length > 1) {
    const message =
      `${named(open)} give no role: ${telling.length} providers tell groups (${listed(telling)}). ` +
      'Name the provider of each group (spec.groups[].provider).';
    return { reason: 'ProviderRequired', message };
  }
  const unknown = groups.filter(({ provider }) => provider !== undefined && !telling.includes(provider));
  if (unknown.length === 0) return undefined;
  const providers = [...new Set(unknown.map(({ provider = '' }) => provider))];
  const message =
    `${named(unknown)} give no role: no enabled OAuthProvider with groupsClaim is named ${providers.slice(0, MOST_NAMED).join(' or ')}. ` +
    `Those that tell groups: ${telling.length === 0 ? 'none' : listed(telling)}.`;
  return { reason: 'UnknownProvider', message };
}

function named(groups: readonly GroupRole[]): string {
  return `Groups ${listed(groups.map(({ claim }) => claim))}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? [`and ${names.length - MOST_NAMED} more`] : [];
  return [...names.slice(0, MOST_NAMED), ...more].join(', ');
}

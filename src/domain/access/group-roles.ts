import type { Role } from './roles.ts';

/** The role of everyone in a group of an identity provider. */
export interface GroupRole {
  claim: string;
  /** Name of the OAuthProvider of the group. Absent: the only one that reports groups. */
  provider?: string;
  role: Role;
}

export interface IgnoredGroups {
  reason: 'ProviderRequired' | 'UnknownProvider';
  message: string;
}

const MAX_NAMES = 10;

/**
 * Which groups give no role, and why. A group name needs its provider: where people can create groups, they
 * could otherwise create one with the name of a group of another provider.
 */
export function ignoredGroups(
  groups: readonly GroupRole[],
  providersWithGroups: readonly string[],
): IgnoredGroups | undefined {
  const open = groups.filter(({ provider }) => provider === undefined);
  if (open.length > 0 && providersWithGroups.length > 1) {
    const message =
      `${named(open)} give no role: ` +
      `${providersWithGroups.length} providers report groups (${listed(providersWithGroups)}). ` +
      'Name the provider of each group (spec.groups[].provider).';
    return { reason: 'ProviderRequired', message };
  }
  const unknown = groups.filter(
    ({ provider }) => provider !== undefined && !providersWithGroups.includes(provider),
  );
  if (unknown.length === 0) return undefined;
  const providers = [...new Set(unknown.map(({ provider = '' }) => provider))];
  const message =
    `${named(unknown)} give no role: no enabled OAuthProvider with groupsClaim ` +
    `is named ${providers.slice(0, MAX_NAMES).join(' or ')}. ` +
    `Those that report groups: ${providersWithGroups.length === 0 ? 'none' : listed(providersWithGroups)}.`;
  return { reason: 'UnknownProvider', message };
}

function named(groups: readonly GroupRole[]): string {
  return `Groups ${listed(groups.map(({ claim }) => claim))}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [];
  return [...names.slice(0, MAX_NAMES), ...more].join(', ');
}

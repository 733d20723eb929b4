import type { Role } from './roles.ts';

/** The role that everyone in a group of an identity provider has in a team. */
export interface GroupRole {
  /** Name of the group, as the provider sends it. */
  claim: string;
  /** Name of the OAuthProvider that reports the group. Absent: the only provider that reports groups. */
  provider?: string;
  role: Role;
}

/** Why groups give no role: a reason for a condition of the Team, and a message. */
export interface IgnoredGroups {
  reason: 'ProviderRequired' | 'UnknownProvider';
  message: string;
}

/** A message has up to this many names and counts the others. */
const MAX_NAMES = 10;

/**
 * Which groups give no role, and why. Undefined: all give their role. If several providers report groups,
 * each group role must name its provider. Otherwise, people who can create groups at one provider could
 * create one with the name of another provider's group, and get its role.
 */
export function ignoredGroups(
  groups: readonly GroupRole[],
  providersWithGroups: readonly string[],
): IgnoredGroups | undefined {
  const withoutProvider = groups.filter(({ provider }) => provider === undefined);
  if (withoutProvider.length > 0 && providersWithGroups.length > 1) {
    const message =
      `${describeGroups(withoutProvider)} give no role: ` +
      `${providersWithGroups.length} providers report groups (${listNames(providersWithGroups)}). ` +
      'Name the provider of each group (spec.groups[].provider).';
    return { reason: 'ProviderRequired', message };
  }
  const ofUnknownProvider = groups.filter(
    ({ provider }) => provider !== undefined && !providersWithGroups.includes(provider),
  );
  if (ofUnknownProvider.length === 0) return undefined;
  const providers = [...new Set(ofUnknownProvider.map(({ provider = '' }) => provider))];
  const message =
    `${describeGroups(ofUnknownProvider)} give no role: no enabled OAuthProvider with groupsClaim ` +
    `is named ${providers.slice(0, MAX_NAMES).join(' or ')}. ` +
    `Those that report groups: ${providersWithGroups.length === 0 ? 'none' : listNames(providersWithGroups)}.`;
  return { reason: 'UnknownProvider', message };
}

function describeGroups(groups: readonly GroupRole[]): string {
  return `Groups ${listNames(groups.map(({ claim }) => claim))}`;
}

function listNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [];
  return [...names.slice(0, MAX_NAMES), ...more].join(', ');
}

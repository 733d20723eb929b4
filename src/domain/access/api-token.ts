import { roleIn } from './decide-access.ts';
import type { Identity } from './decide-access.ts';
import { includes } from './roles.ts';
import type { Role } from './roles.ts';

const MOST_TOKENS = 100;
const LONGEST_NAME = 100;

export interface TokenScope {
  team: string;
  role: Role;
}

/** Why an account gets no token of this scope; undefined when it may have it. */
export function refuseToken(
  owner: Identity | undefined,
  tokens: number,
  scope: TokenScope | undefined,
): 'too-many' | 'role-too-high' | undefined {
  if (owner === undefined) return 'role-too-high';
  if (tokens >= MOST_TOKENS) return 'too-many';
  return scope === undefined || includes(roleIn(owner, scope.team), scope.role) ? undefined : 'role-too-high';
}

/** What is wrong with the name or the end of a new token. */
export function tokenFault(
  { name, expiresAt }: { name: string; expiresAt?: Date },
  now: Date,
): string | undefined {
  if (name.trim() === '' || name.length > LONGEST_NAME)
    return `A token has a name of 1 to ${LONGEST_NAME} characters.`;
  if (expiresAt === undefined) return undefined;
  if (Number.isNaN(expiresAt.getTime())) return 'expires_at is a time like 2027-01-31T12:00:00Z.';
  return expiresAt.getTime() > now.getTime() ? undefined : 'expires_at is a time to come.';
}

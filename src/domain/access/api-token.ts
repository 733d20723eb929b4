import { roleIn, type Identity } from './decide-access.ts';
import { includes, type Role } from './roles.ts';

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

const DAY_MS = 86_400_000;
const DEFAULT_TOKEN_LIFETIME_MS = 90 * DAY_MS;

export interface TokenAsked {
  name: string;
  /** In milliseconds. Absent: the default; null: never. */
  expiresAt: number | null | undefined;
  /** The longest that this installation allows, in seconds; 0: tokens without an end, too. */
  maxLifetimeSeconds: number;
}

/** When a new token ends, in milliseconds (null: never), or what is wrong with its name or end. */
export function tokenEnd(asked: TokenAsked, now: number): { end: number | null } | { fault: string } {
  const { name, expiresAt, maxLifetimeSeconds } = asked;
  if (name.trim() === '' || name.length > LONGEST_NAME)
    return { fault: `A token has a name of 1 to ${LONGEST_NAME} characters.` };
  const longest = maxLifetimeSeconds === 0 ? Infinity : maxLifetimeSeconds * 1000;
  if (expiresAt === undefined) return { end: now + Math.min(DEFAULT_TOKEN_LIFETIME_MS, longest) };
  if (expiresAt === null) return longest === Infinity ? { end: null } : { fault: tooLong(longest) };
  if (Number.isNaN(expiresAt)) return { fault: 'expires_at is a time like 2027-01-31T12:00:00Z.' };
  if (expiresAt <= now) return { fault: 'expires_at is a time to come.' };
  return expiresAt - now > longest ? { fault: tooLong(longest) } : { end: expiresAt };
}

function tooLong(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS);
  const most = days > 0 ? `${days} days` : `${Math.floor(milliseconds / 1000)} seconds`;
  return `A token ends within ${most} here: name an earlier expires_at, or have signIn.tokenMaxLifetime raised in the chart's values.`;
}

import { roleIn, type Identity } from './decide-access.ts';
import { roleIncludes, type Role } from './roles.ts';

const MAX_TOKENS = 100;
const MAX_NAME_CHARACTERS = 100;

/** Limits a token to one team, and to a role in it. */
export interface TokenScope {
  team: string;
  role: Role;
}

/**
 * Why an account may not get another token with this scope. Undefined: it may. `owner` is undefined if the
 * account is deleted. `tokenCount`: how many tokens the account has. A token without a scope has all rights
 * of its owner.
 */
export function refuseToken(
  owner: Identity | undefined,
  tokenCount: number,
  scope: TokenScope | undefined,
): 'too-many' | 'role-too-high' | undefined {
  if (owner === undefined) return 'role-too-high';
  if (tokenCount >= MAX_TOKENS) return 'too-many';
  return scope === undefined || roleIncludes(roleIn(owner, scope.team), scope.role)
    ? undefined
    : 'role-too-high';
}

const DAY_MS = 86_400_000;
const DEFAULT_TOKEN_LIFETIME_MS = 90 * DAY_MS;

/** What a person requests for a new token. */
export interface TokenRequest {
  name: string;
  /**
   * When the token expires, in milliseconds since 1970. Undefined: after the default lifetime. Null: never.
   * NaN: the request has no valid time.
   */
  expiresAt: number | null | undefined;
  /** The longest lifetime that this installation allows. 0: no limit. */
  maxLifetimeSeconds: number;
}

/**
 * When a new token expires, or what is wrong with the request. `end` and `now` are in milliseconds since
 * 1970; `end` is null if the token never expires.
 */
export function tokenEnd(request: TokenRequest, now: number): { end: number | null } | { fault: string } {
  const { name, expiresAt, maxLifetimeSeconds } = request;
  if (name.trim() === '' || name.length > MAX_NAME_CHARACTERS)
    return { fault: `A token needs a name of 1 to ${MAX_NAME_CHARACTERS} characters.` };
  const maxLifetimeMs = maxLifetimeSeconds === 0 ? Infinity : maxLifetimeSeconds * 1000;
  if (expiresAt === undefined) return { end: now + Math.min(DEFAULT_TOKEN_LIFETIME_MS, maxLifetimeMs) };
  if (expiresAt === null)
    return maxLifetimeMs === Infinity ? { end: null } : { fault: lifetimeFault(maxLifetimeMs) };
  if (Number.isNaN(expiresAt)) return { fault: 'expires_at must be a time like 2027-01-31T12:00:00Z.' };
  if (expiresAt <= now) return { fault: 'expires_at must be in the future.' };
  return expiresAt - now > maxLifetimeMs ? { fault: lifetimeFault(maxLifetimeMs) } : { end: expiresAt };
}

function lifetimeFault(maxLifetimeMs: number): string {
  const days = Math.floor(maxLifetimeMs / DAY_MS);
  const limit = days > 0 ? `${days} days` : `${Math.floor(maxLifetimeMs / 1000)} seconds`;
  return (
    `Tokens expire within ${limit} here. Set an earlier expires_at, ` +
    "or ask for a higher signIn.tokenMaxLifetime in the chart's values."
  );
}

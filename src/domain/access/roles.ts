/** Rising order; each includes those before it. */
export const ROLES = ['read', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(word: unknown): word is Role {
  return ROLES.some((role) => role === word);
}

export function includes(held: Role | undefined, needed: Role): boolean {
  return held !== undefined && ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/** The smaller of two: what a token with a cap may do for a member of this role. */
export function lesser(one: Role, other: Role): Role {
  return includes(one, other) ? other : one;
}

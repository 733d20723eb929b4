/** In ascending order: each role includes the roles before it. */
export const ROLES = ['read', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(word: unknown): word is Role {
  return ROLES.some((role) => role === word);
}

export function roleIncludes(held: Role | undefined, needed: Role): boolean {
  return held !== undefined && ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

export function lowerRole(first: Role, second: Role): Role {
  return roleIncludes(first, second) ? second : first;
}

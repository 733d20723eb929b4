import type { Role } from './roles.ts';

/** Who asks, and what they may do in which team. It stays as it is when sign-in comes. */
export interface Identity {
  user: string;
  /** Reaches every team as admin. */
  globalAdmin: boolean;
  teams: ReadonlyMap<string, Role>;
}

/** `invalid`: a credential was shown and is wrong, which is never the same as showing none. */
export type Authorization = Identity | 'anonymous' | 'invalid';

export interface Authorize {
  (header: string | undefined): Promise<Authorization>;
}

export function roleIn(identity: Identity, team: string): Role | undefined {
  return identity.globalAdmin ? 'admin' : identity.teams.get(team);
}

/** The token of an `Authorization: Bearer` header; empty, which no token is, for any other scheme. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\w.~+/=-]{1,512})$/i.exec(header)?.[1] ?? '';
}

import { includes, isRole, lesser, type Role } from './roles.ts';

/**
 * What a caller needs. A role counts in the team that the path names, never in one that a body or query
 * names. `nothing` is for paths that say nothing of anyone, or whose path is itself the secret; `public` for
 * what everybody may see of a pipeline that is public, and of another whoever has the role read: the path
 * decides when it knows which; `user` for people and their personal tokens, `session` for people who signed
 * in and no token of theirs.
 */
export type Need = Role | 'nothing' | 'public' | 'user' | 'session' | 'global-admin';

/**
 * By what somebody is known: `installation` is a token of the installation's Secret, which is nobody's
 * account.
 */
export type Credential = 'session' | 'personal-token' | 'team-token' | 'installation';

/** Who asks, and what they may do in which team. */
export interface Identity {
  user: string;
  /** Reaches every team as admin. */
  globalAdmin: boolean;
  teams: ReadonlyMap<string, Role>;
  /** Of the account; absent for tokens of the installation, as `credential` is. */
  userId?: number;
  credential?: Credential;
  sessionId?: string;
  /** When they showed who they are, in milliseconds. */
  signedInAt?: number;
  /** Nothing else is open to them before they have. */
  mustChangePassword?: boolean;
}

export interface Refusal {
  reason: 'password-change-required' | 'forbidden';
  message: string;
  needs: Need;
  team?: string;
}

export function roleIn(identity: Identity, team: string): Role | undefined {
  return identity.globalAdmin ? 'admin' : identity.teams.get(team);
}

/** Sees what is not public of the team. Whoever must change their password first sees what strangers see. */
export function isMember(identity: Identity | undefined, team: string): boolean {
  if (identity === undefined || identity.mustChangePassword === true) return false;
  return roleIn(identity, team) !== undefined;
}

export interface Asked {
  needs: Need;
  /** Of the path. */
  team: string | undefined;
  /** Open to whoever must change their password first. */
  beforePasswordChange: boolean;
}

/** Why this caller may not come here; undefined when they may. */
export function refuseAccess(asked: Asked, identity: Identity): Refusal | undefined {
  if (identity.mustChangePassword === true && !asked.beforePasswordChange && asked.needs !== 'public') {
    const message = 'Change your password first: PUT /profile/password.';
    return { reason: 'password-change-required', message, needs: asked.needs };
  }
  return missing(asked, identity);
}

const FRESH_MS = 10 * 60_000;

/**
 * They signed in a moment ago. An open browser that somebody finds is not enough for what opens another way
 * in.
 */
export function isFresh({ signedInAt }: Identity, now: number): boolean {
  return signedInAt !== undefined && now - signedInAt < FRESH_MS;
}

/** What is of no team, by what somebody must be known for it. */
const NOT_OF_A_TEAM: Record<
  Exclude<Need, Role | 'nothing' | 'public'>,
  { open: Credential[]; message: string }
> = {
  session: { open: ['session'], message: 'This needs a session: sign in. No token will do.' },
  user: {
    open: ['session', 'personal-token'],
    message: 'This is for people: sign in, or use a personal token.',
  },
  'global-admin': {
    open: ['session', 'personal-token', 'installation'],
    message: 'This needs a global admin.',
  },
};

function missing({ needs, team }: Asked, identity: Identity): Refusal | undefined {
  if (needs === 'nothing' || needs === 'public') return undefined;
  if (isRole(needs)) {
    if (team === undefined) return forbid(needs, 'This path is closed.');
    if (includes(roleIn(identity, team), needs)) return undefined;
    return { ...forbid(needs, `This needs the role ${needs} in team ${team}.`), team };
  }
  const { open, message } = NOT_OF_A_TEAM[needs];
  const known = open.includes(identity.credential ?? 'installation');
  return known && (needs !== 'global-admin' || identity.globalAdmin) ? undefined : forbid(needs, message);
}

function forbid(needs: Need, message: string): Refusal {
  return { reason: 'forbidden', message, needs };
}

/**
 * What a token of this scope may do for this account: at most what the account may, and only where the token
 * says.
 */
export function withinToken(identity: Identity, scope: { team: string; role: Role } | undefined): Identity {
  if (scope === undefined) return { ...identity, credential: 'personal-token' };
  const held = roleIn(identity, scope.team);
  const teams = new Map(held === undefined ? [] : [[scope.team, lesser(held, scope.role)] as const]);
  return { ...identity, globalAdmin: false, teams, credential: 'team-token' };
}

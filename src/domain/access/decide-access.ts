import { isRole, lowerRole, roleIncludes, type Role } from './roles.ts';

/**
 * What a route requires of its caller. A role: the caller needs it in the team that the path names; a team in
 * the body or query does not count. `nothing`: anyone may call the route, because it reveals nothing or its
 * path contains a secret. `public`: anyone if the pipeline is public, otherwise the role `read`; the route
 * itself checks this. `user`: a person with a session or a personal token. `session`: a person with a
 * session; tokens are refused. `global-admin`: a global admin; a token that is limited to a team is refused.
 */
export type AccessLevel = Role | 'nothing' | 'public' | 'user' | 'session' | 'global-admin';

/**
 * How a caller was authenticated. `personal-token`: by an API token with all rights of its owner.
 * `team-token`: by an API token that is limited to one team. `installation`: by a token from the
 * installation's Secret, which belongs to no account.
 */
export type CredentialKind = 'session' | 'personal-token' | 'team-token' | 'installation';

/** A caller, and their role in each team. */
export interface Identity {
  user: string;
  /** Is admin of every team. */
  globalAdmin: boolean;
  teams: ReadonlyMap<string, Role>;
  /**
   * Id of the account. Absent if the caller uses a token of the installation; `credential` is absent then
   * too.
   */
  userId?: number;
  credential?: CredentialKind;
  sessionId?: string;
  /** When the caller signed in, in milliseconds since 1970. Absent: the caller has no session. */
  signedInAt?: number;
  /**
   * The caller must change their password first. Until then they can use only routes of the levels `nothing`
   * and `public`, and those with `beforePasswordChange`.
   */
  mustChangePassword?: boolean;
}

export interface AccessDenied {
  reason: 'password-change-required' | 'forbidden';
  message: string;
  needs: AccessLevel;
  team?: string;
}

/** The role of the caller in the team. Undefined: none. */
export function roleIn(identity: Pick<Identity, 'globalAdmin' | 'teams'>, team: string): Role | undefined {
  return identity.globalAdmin ? 'admin' : identity.teams.get(team);
}

/**
 * Whether the caller sees more of the team than the public. A person who must change their password first
 * does not.
 */
export function isMember(identity: Identity | undefined, team: string): boolean {
  if (identity === undefined || identity.mustChangePassword === true) return false;
  return roleIn(identity, team) !== undefined;
}

/** What a route requires, and the team that its path names. */
export interface AccessRequest {
  needs: AccessLevel;
  /** The team of the path. */
  team: string | undefined;
  /** People who must change their password first can use the route too. */
  beforePasswordChange: boolean;
}

/** Why this caller may not use a route. Undefined: they may. */
export function refuseAccess(request: AccessRequest, identity: Identity): AccessDenied | undefined {
  if (identity.mustChangePassword === true && !request.beforePasswordChange && request.needs !== 'public') {
    const message = 'Change your password first: PUT /profile/password.';
    return { reason: 'password-change-required', message, needs: request.needs };
  }
  return refuseByNeeds(request, identity);
}

const RECENT_SIGN_IN_MS = 10 * 60_000;

/**
 * Whether the caller signed in within the last ten minutes. Required for creating tokens and for changing how
 * a person can sign in, so that access to an unattended browser is not enough.
 */
export function isRecentSignIn({ signedInAt }: Identity, now: number): boolean {
  return signedInAt !== undefined && now - signedInAt < RECENT_SIGN_IN_MS;
}

/**
 * For each level of access that does not depend on a team: the credentials that allow it, and the message of
 * a refusal.
 */
const ACCESS_WITHOUT_TEAM: Record<
  Exclude<AccessLevel, Role | 'nothing' | 'public'>,
  { credentials: CredentialKind[]; message: string }
> = {
  session: { credentials: ['session'], message: 'This needs a session: sign in. Tokens do not work here.' },
  user: {
    credentials: ['session', 'personal-token'],
    message: 'This is for people: sign in, or use a personal token.',
  },
  'global-admin': {
    credentials: ['session', 'personal-token', 'installation'],
    message: 'Only a global admin may do this. Ask one, or sign in as one.',
  },
};

function refuseByNeeds({ needs, team }: AccessRequest, identity: Identity): AccessDenied | undefined {
  if (needs === 'nothing' || needs === 'public') return undefined;
  if (isRole(needs)) {
    if (team === undefined) return forbid(needs, 'Nobody may use this path.');
    if (roleIncludes(roleIn(identity, team), needs)) return undefined;
    return {
      ...forbid(needs, `This needs the role ${needs} in team ${team}. Ask an admin of the team for it.`),
      team,
    };
  }
  const { credentials, message } = ACCESS_WITHOUT_TEAM[needs];
  const isAccepted = credentials.includes(identity.credential ?? 'installation');
  return isAccepted && (needs !== 'global-admin' || identity.globalAdmin)
    ? undefined
    : forbid(needs, message);
}

function forbid(needs: AccessLevel, message: string): AccessDenied {
  return { reason: 'forbidden', message, needs };
}

/**
 * The identity of a caller who uses an API token of the account `identity`. It has the rights of the account,
 * limited to the scope of the token. `scope` undefined: no limit.
 */
export function limitToToken(identity: Identity, scope: { team: string; role: Role } | undefined): Identity {
  if (scope === undefined) return { ...identity, credential: 'personal-token' };
  const held = roleIn(identity, scope.team);
  const teams = new Map(held === undefined ? [] : [[scope.team, lowerRole(held, scope.role)] as const]);
  return { ...identity, globalAdmin: false, teams, credential: 'team-token' };
}

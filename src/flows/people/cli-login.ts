import { makeLoginCode, readLoginCode } from '#domain/access/login-code.ts';
import type { AttemptKey } from '#domain/access/throttle.ts';
import type { CliLoginStore, PendingCliLogin } from './cli-login-ports.ts';
import { openUserSession, type Caller, type OpenedSession, type SignInPorts } from './sign-in.ts';
import { throttleAttempt } from './throttle.ts';

export interface CliLoginPorts extends Pick<
  SignInPorts,
  'sessions' | 'throttle' | 'now' | 'newSessionId' | 'sessionSeconds'
> {
  cliLogins: CliLoginStore;
  /** A random whole number from 0 to `below` - 1. */
  randomBelow(below: number): number;
  /** One-way hash. */
  digest(text: string): string;
}

const LIFETIME_MS = 5 * 60_000;
const MAX_CODES_TRIED = 3;

type Wait = { answer: 'wait'; seconds: number };

export type CliLoginBegun =
  | { answer: 'begun'; code: string; expiresAt: Date }
  /** A login with this challenge waits already, or every code that was tried is in use. */
  | { answer: 'used' }
  | Wait;

/**
 * Begins a login of the command line, which a person confirms in a browser. Counts as a failed attempt of the
 * address until it is finished.
 */
export async function beginCliLogin(
  { challenge, client, caller }: { challenge: string; client: string; caller: Caller },
  ports: CliLoginPorts,
): Promise<CliLoginBegun> {
  const wait = await throttleAttempt([addressKey(caller)], ports);
  if (wait > 0) return waitFor(wait);
  const startedAt = ports.now();
  const expiresAt = new Date(startedAt.getTime() + LIFETIME_MS);
  // Codes are short, so a new one may be in use.
  for (let tried = 0; tried < MAX_CODES_TRIED; tried += 1) {
    const code = makeLoginCode((below) => ports.randomBelow(below));
    const login = { challenge, code, client, address: caller.address, startedAt, expiresAt };
    if (await ports.cliLogins.beginCliLogin(login)) return { answer: 'begun', code, expiresAt };
  }
  return { answer: 'used' };
}

export type CliLoginFound = { answer: 'found'; login: PendingCliLogin } | { answer: 'unknown' } | Wait;

/**
 * Finds a login by the code that a person typed. Each code counts as an attempt of the user, so nobody can
 * try many codes. Only confirming or refusing a login resets the count: anyone can begin a login and find it.
 */
export async function findCliLogin(
  typed: string,
  user: string,
  ports: Pick<CliLoginPorts, 'cliLogins' | 'throttle' | 'now'>,
): Promise<CliLoginFound> {
  const wait = await throttleAttempt([codeKey(user)], ports);
  if (wait > 0) return waitFor(wait);
  const code = readLoginCode(typed);
  const login = code === undefined ? undefined : await ports.cliLogins.pendingCliLogin(code, ports.now());
  return login === undefined ? { answer: 'unknown' } : { answer: 'found', login };
}

/** Forgets the codes that a person has tried, once one of them was confirmed or refused. */
export async function forgiveLoginCodes(
  user: string,
  { throttle }: Pick<CliLoginPorts, 'throttle'>,
): Promise<void> {
  await throttle.forgive([codeKey(user)]);
}

export type CliLoginFinished =
  | { answer: 'signed-in'; session: OpenedSession }
  | { answer: 'pending' }
  | { answer: 'unknown' };

/**
 * Opens a session for the command line once its login is confirmed. `verifier`: the secret of the command
 * line. The new session has the sign-in time of the session that confirmed the login. Otherwise two sessions
 * could renew each other without end.
 */
export async function finishCliLogin(
  { verifier, caller }: { verifier: string; caller: Caller },
  ports: CliLoginPorts,
): Promise<CliLoginFinished> {
  const login = await ports.cliLogins.takeCliLogin(ports.digest(verifier), ports.now());
  if (login === 'pending' || login === 'unknown') return { answer: login };
  const { account, signedInAt, byProvider } = login;
  const details = { action: 'user.signed_in', byProvider, signedInAt };
  const session = await openUserSession(account, details, caller, ports);
  if (session === undefined) return { answer: 'unknown' };
  await ports.throttle.forgive([addressKey(caller)]);
  return { answer: 'signed-in', session };
}

const codeKey = (user: string): AttemptKey => ({ kind: 'account', name: `login code:${user}` });

const addressKey = ({ network }: Caller): AttemptKey => ({ kind: 'address', name: network });

const waitFor = (milliseconds: number): Wait => ({ answer: 'wait', seconds: Math.ceil(milliseconds / 1000) });

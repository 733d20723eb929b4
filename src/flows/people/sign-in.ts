import type { AttemptKey } from '#domain/access/throttle.ts';
import type {
  AccountStore,
  AuditStore,
  Passwords,
  SessionToOpen,
  StoredCredentials,
  UserSessionStore,
} from './ports.ts';
import type { ThrottleStore } from './throttle-ports.ts';
import { throttleAttempt } from './throttle.ts';

export interface SignInPorts {
  accounts: Pick<AccountStore, 'credentials'>;
  sessions: Pick<UserSessionStore, 'openSession'>;
  throttle: ThrottleStore;
  passwords: Pick<Passwords, 'verify'>;
  audit: Pick<AuditStore, 'record'>;
  /** Whether sign-in by password is enabled. */
  localSignIn(): Promise<boolean>;
  now(): Date;
  /** A random and unique text that nobody can guess. */
  newSessionId(): string;
  /** Maximum lifetime of a session. 0: no limit; an unused session may still end earlier (`idleSeconds`). */
  sessionSeconds: number;
}

/** Where a request comes from. */
export interface Caller {
  address: string;
  /** The key for counting attempts: the IPv4 address, or the IPv6 network that one sender controls. */
  network: string;
  client: string;
}

export interface OpenedSession {
  id: string;
  userId: number;
  username: string;
  tokenGen: number;
  openedAt: Date;
  expiresAt?: Date;
  mustChangePassword: boolean;
}

export type SignInAnswer =
  | { answer: 'signed-in'; session: OpenedSession }
  /** Sign-in failed. The answer does not tell whether the user name or the password was wrong. */
  | { answer: 'failed' }
  | { answer: 'local-off' }
  | { answer: 'wait'; seconds: number };

/**
 * Signs in by user name and password. An unknown account takes as long as a wrong password and gets the same
 * answer.
 */
export async function signIn(
  { username, password, caller }: { username: string; password: string; caller: Caller },
  ports: SignInPorts,
): Promise<SignInAnswer> {
  if (!(await ports.localSignIn())) return { answer: 'local-off' };
  const name = username.toLowerCase();
  const keys: AttemptKey[] = [
    { kind: 'account', name },
    { kind: 'address', name: caller.network },
  ];
  const wait = await throttleAttempt(keys, ports);
  if (wait > 0) return { answer: 'wait', seconds: Math.ceil(wait / 1000) };
  const account = await ports.accounts.credentials(name);
  const isCorrect = await ports.passwords.verify(account?.passwordHash, password);
  const session =
    account !== undefined && isCorrect
      ? await openUserSession(account, { action: 'user.signed_in' }, caller, ports)
      : undefined;
  if (session === undefined) {
    const entry = { actor: name, action: 'user.sign_in_failed', targetType: 'user', target: name };
    await ports.audit.record({
      ...entry,
      details: { address: caller.address, client: caller.client },
      at: ports.now(),
    });
    return { answer: 'failed' };
  }
  await ports.throttle.forgive(keys);
  return { answer: 'signed-in', session };
}

/** Opens a session for the account. Undefined: the account changed after it was read. */
export async function openUserSession(
  account: Omit<StoredCredentials, 'passwordHash'>,
  signInDetails: Pick<SessionToOpen, 'action' | 'byProvider'> & { signedInAt?: Date },
  caller: Caller,
  ports: Pick<SignInPorts, 'sessions' | 'now' | 'newSessionId' | 'sessionSeconds'>,
): Promise<OpenedSession | undefined> {
  const now = ports.now();
  const { signedInAt: openedAt = now, ...details } = signInDetails;
  const session = {
    id: ports.newSessionId(),
    userId: account.id,
    username: account.username,
    tokenGen: account.tokenGen,
    openedAt,
    ...(ports.sessionSeconds > 0 && {
      expiresAt: new Date(openedAt.getTime() + ports.sessionSeconds * 1000),
    }),
  };
  const opened = await ports.sessions.openSession({
    ...session,
    usedAt: now,
    address: caller.address,
    client: caller.client,
    ...details,
  });
  return opened
    ? { ...session, mustChangePassword: account.mustChangePassword && signInDetails.byProvider !== true }
    : undefined;
}

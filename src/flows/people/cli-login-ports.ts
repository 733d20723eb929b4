import type { AuditedAct, StoredCredentials } from './ports.ts';

/* What logins of the command line in a browser need from outside. */

/** Where a login was requested. */
export interface LoginOrigin {
  /** The machine's name according to the command line. Anyone can claim any name. */
  client: string;
  address: string;
}

interface CliLogin extends LoginOrigin {
  /** Hash of a secret that only the command line knows. */
  challenge: string;
  code: string;
  startedAt: Date;
  expiresAt: Date;
}

export type PendingCliLogin = Omit<CliLogin, 'challenge'>;

/** An account, and the session in which its owner confirmed the login. */
interface ConfirmedCliLogin {
  account: Omit<StoredCredentials, 'passwordHash'>;
  signedInAt: Date;
  byProvider: boolean;
}

export interface CliLoginStore {
  /** False: the code or the challenge is in use. */
  beginCliLogin(login: CliLogin): Promise<boolean>;
  /** Undefined: no login waits under this code, or the login has expired. */
  pendingCliLogin(code: string, at: Date): Promise<PendingCliLogin | undefined>;
  /** False: no login waits under this code, or the session has ended. */
  confirmCliLogin(
    login: { code: string; sessionId: string; userId: number },
    act: AuditedAct,
  ): Promise<boolean>;
  /** False: no login waits under this code. */
  refuseCliLogin(code: string, act: AuditedAct): Promise<boolean>;
  /** Returns a confirmed login once. `unknown`: refused, expired, or fetched before. */
  takeCliLogin(challenge: string, at: Date): Promise<ConfirmedCliLogin | 'pending' | 'unknown'>;
}

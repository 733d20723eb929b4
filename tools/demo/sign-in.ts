import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runKubectl } from '#tools/chart/cluster-commands.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { foldersFrom } from '#tools/cluster/folders.ts';
import { writePrivate } from './write-private.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** Sends a request to the gateway; undefined if it refuses. */
type Ask = (method: string, path: string, body: object, token?: string) => Promise<SignedIn | undefined>;

interface SignedIn {
  token: string;
  must_change_password: boolean;
}

/** Stores the password of the demonstration's admin between runs; undefined before the first. */
export interface PasswordFile {
  read(): Promise<string | undefined>;
  write(password: string): Promise<void>;
}

/**
 * User name of the admin and a password that works in a browser. The first call replaces the initial
 * password, which is in the Secret, by a new one. Undefined if somebody else changed the password, or if the
 * gateway refuses the new one.
 */
export async function signInOfDemo(
  ask: Ask,
  file: PasswordFile,
  initial: () => Promise<Credentials>,
): Promise<Credentials | undefined> {
  const { username, password } = await initial();
  const stored = await file.read();
  if (stored !== undefined && (await logIn(ask, { username, password: stored })) !== undefined)
    return { username, password: stored };
  const session = await logIn(ask, { username, password });
  if (session === undefined) return undefined;
  const chosen = stored ?? randomBytes(9).toString('base64url');
  // The file gets the password before the account does, so a run that is killed in between can continue.
  if (stored === undefined) await file.write(chosen);
  const change = { current_password: password, new_password: chosen };
  const changed = await ask('PUT', '/profile/password', change, session.token);
  return changed && { username, password: chosen };
}

function logIn(ask: Ask, credentials: Credentials): Promise<SignedIn | undefined> {
  return ask('POST', '/auth/login', credentials);
}

export function askGateway(base: string): Ask {
  return async (method, path, body, token) => {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const signal = AbortSignal.timeout(30_000);
    const answer = await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body), signal });
    if (!answer.ok) return undefined;
    const { data }: { data: SignedIn } = JSON.parse(await answer.text());
    return data;
  };
}

/** The Secret that the operator creates with the first admin's name and password. */
export async function initialAdmin(): Promise<Credentials> {
  const secret = ['secret', `${RELEASE.name}-admin`, '--namespace', RELEASE.namespace];
  const text = await runKubectl(['get', ...secret, '-o', 'jsonpath={.data.username} {.data.password}']);
  const [username = '', password = ''] = text
    .split(' ')
    .map((part) => Buffer.from(part, 'base64').toString());
  return { username, password };
}

export function passwordFile(): PasswordFile {
  const path = join(foldersFrom(process.env).cache, 'demo', 'password');
  return {
    read: async () => (await readFile(path, 'utf8').catch(() => '')).trim() || undefined,
    write: async (password) => await writePrivate(path, password),
  };
}

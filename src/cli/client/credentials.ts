import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { explain } from '#cli/explain.ts';
import { CommandError } from '#cli/terminal.ts';
import type { ServerContext } from './contexts.ts';

/** What a login stored for one server. */
export interface ServerCredential {
  token: string;
  /** Absent for tokens of a team or of the installation. */
  username?: string;
  /** Additional CA certificates for this server. */
  ca_file?: string;
}

export interface CredentialsFile {
  /**
   * The URL of the server that commands use without `--url`. Older versions read it instead of
   * `current_context`.
   */
  current?: string;
  servers: Record<string, ServerCredential>;
  /** The name of the context that commands use without `--context`. */
  current_context?: string;
  /** The contexts by name. Files of older versions have none. */
  contexts?: Record<string, ServerContext>;
}

export const credentialsFile = (directory: string): string => join(directory, 'credentials.json');

export async function readCredentials(directory: string): Promise<CredentialsFile> {
  const file = credentialsFile(directory);
  const text = await readIfExists(file);
  if (text === undefined) return { servers: {} };
  if (((await stat(file)).mode & 0o077) !== 0)
    throw new CommandError(
      `${file} contains tokens, and other users of this machine can access it: run chmod 600 ${file}`,
    );
  const credentials = parse(text);
  if (credentials === undefined) throw new CommandError(`${file} is not valid: delete it, and log in again`);
  return credentials;
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isNativeError(error) && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CommandError(`${file} cannot be read: ${explain(error)}`);
  }
}

function parse(text: string): CredentialsFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const {
    current,
    servers,
    current_context: currentContext,
    contexts,
  }: Record<string, unknown> = Object(value);
  if (typeof servers !== 'object' || servers === null) return undefined;
  const valid = Object.entries(servers).flatMap(([url, stored]) => {
    const credential = credentialIn(stored);
    return credential === undefined ? [] : [[url, credential] as const];
  });
  return {
    ...(typeof current === 'string' && { current }),
    servers: Object.fromEntries(valid),
    ...(typeof currentContext === 'string' && { current_context: currentContext }),
    contexts: Object.fromEntries(
      Object.entries(Object(contexts)).flatMap(([name, stored]) => {
        const context = contextIn(stored);
        return context === undefined ? [] : [[name, context] as const];
      }),
    ),
  };
}

function contextIn(value: unknown): ServerContext | undefined {
  const { url, team }: Record<string, unknown> = Object(value);
  if (typeof url !== 'string') return undefined;
  return { url, ...(typeof team === 'string' && { team }) };
}

function credentialIn(value: unknown): ServerCredential | undefined {
  const { token, username, ca_file: caFile }: Record<string, unknown> = Object(value);
  if (typeof token !== 'string' || token === '') return undefined;
  return {
    token,
    ...(typeof username === 'string' && { username }),
    ...(typeof caFile === 'string' && { ca_file: caFile }),
  };
}

/** Replaces the file atomically, readable by the user only. */
export async function writeCredentials(directory: string, credentials: CredentialsFile): Promise<void> {
  const file = credentialsFile(directory);
  const temporaryFile = `${file}.${randomUUID()}`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const handle = await open(temporaryFile, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw new CommandError(`${file} cannot be written: ${explain(error)}`);
  }
}

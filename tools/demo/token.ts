import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersFrom } from '#tools/cluster/folders.ts';
import { writePrivate } from './write-private.ts';

/** Where the demonstration stores its API token; the cluster has only its hash. */
export function tokenFile(): string {
  return join(foldersFrom(process.env).cache, 'demo', 'token');
}

/** The stored token, or a new one. */
export async function demoToken(): Promise<string> {
  const file = tokenFile();
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored.trim() !== '') return stored.trim();
  const token = randomBytes(32).toString('base64url');
  await writePrivate(file, token);
  return token;
}

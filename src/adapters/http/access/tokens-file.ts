import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Identity } from '#domain/access/decide-access.ts';
import { isRole } from '#domain/access/roles.ts';
import type { Role } from '#domain/access/roles.ts';
import { bearerToken } from './authorize.ts';
import type { Authorization, Authorize } from './authorize.ts';

interface Entry {
  hash: Buffer;
  identity: Identity;
}

const LOOK_EVERY_MS = 1000;
const LARGEST_FILE = 1024 * 1024;

/**
 * Tokens from a mounted Secret: JSON `{"<sha256 hex of the token>": {"user", "team", "role"}}`, team `*` with role admin for a global
 * admin. The file is read again when it changes (a mounted Secret is swapped as a whole); entries that cannot be understood are left
 * out and told to `complain`, without their hash. While it cannot be read, what was last read counts.
 */
export function authorizeByTokensFile(
  path: string | undefined,
  complain: (sentence: string) => void,
): Authorize {
  let entries: Entry[] = [];
  let stamp = '';
  let lookedAt = -Infinity;

  async function refresh(file: string): Promise<void> {
    const now = performance.now();
    if (now - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now;
    try {
      const facts = await stat(file);
      const seen = `${facts.ino}:${facts.size}:${facts.mtimeMs}`;
      if (seen === stamp) return;
      if (facts.size > LARGEST_FILE) throw new Error('it is larger than 1 MiB');
      const parsed = parseTokens(await readFile(file, 'utf8'));
      entries = parsed.entries;
      stamp = seen;
      for (const sentence of parsed.complaints) complain(sentence);
    } catch (error) {
      complain(
        `The tokens file ${file} cannot be used: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    }
  }

  return async ({ authorization }) => {
    const token = bearerToken(authorization);
    if (token === undefined) return 'anonymous';
    if (path !== undefined) await refresh(path);
    return find(entries, token);
  };
}

/** Compares with every entry, so that the time tells nothing about which one came near. */
function find(entries: Entry[], token: string): Authorization {
  const hash = createHash('sha256').update(token).digest();
  let found: Authorization = 'invalid';
  for (const entry of entries) {
    if (timingSafeEqual(entry.hash, hash)) found = entry.identity;
  }
  return found;
}

export function parseTokens(text: string): { entries: Entry[]; complaints: string[] } {
  const entries: Entry[] = [];
  const complaints: string[] = [];
  const parsed: unknown = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('it is not a JSON object of token hashes');
  }
  for (const [index, [hash, value]] of Object.entries(parsed).entries()) {
    const entry = parseEntry(hash, value);
    if (typeof entry === 'string')
      complaints.push(`Entry ${index + 1} of the tokens file is left out: ${entry}.`);
    else entries.push(entry);
  }
  return { entries, complaints };
}

/** JSON.parse quotes the text in its message, which may hold hashes. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not valid JSON');
  }
}

function parseEntry(hash: string, value: unknown): Entry | string {
  if (!/^[0-9a-f]{64}$/i.test(hash)) return 'its name is not the SHA-256 of a token in hex';
  if (typeof value !== 'object' || value === null) return 'its value is not an object';
  const user = textOf(value, 'user');
  const team = textOf(value, 'team');
  const role = textOf(value, 'role');
  if (user === '') return 'it names no user';
  if (team === '') return 'it names no team';
  if (!isRole(role)) return 'its role is not one of read, write, maintain, admin';
  if (team !== '*') return { hash: Buffer.from(hash, 'hex'), identity: member(user, team, role) };
  if (role !== 'admin') return 'team * is for the role admin only';
  return { hash: Buffer.from(hash, 'hex'), identity: { user, globalAdmin: true, teams: new Map() } };
}

function member(user: string, team: string, role: Role): Identity {
  return { user, globalAdmin: false, teams: new Map([[team, role]]) };
}

function textOf(value: object, name: string): string {
  const text: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof text === 'string' ? text : '';
}

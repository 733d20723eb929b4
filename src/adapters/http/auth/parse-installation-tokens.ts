import type { Identity } from '#domain/access/decide-access.ts';
import { isRole, type Role } from '#domain/access/roles.ts';

/** One token of the installation: its SHA-256 and its identity. */
export interface TokenEntry {
  hash: Buffer;
  identity: Identity;
}

/**
 * Parses JSON `{"<sha256 hex of the token>": {"user", "team", "role"}}`; team `*` with role admin is a global
 * admin. Skips invalid entries and adds a sentence about each to `complaints`, without the hash. Throws if
 * the text is not a JSON object.
 */
export function parseTokens(text: string): { entries: TokenEntry[]; complaints: string[] } {
  const entries: TokenEntry[] = [];
  const complaints: string[] = [];
  const parsed: unknown = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('it is not a JSON object of token hashes');
  }
  for (const [index, [hash, value]] of Object.entries(parsed).entries()) {
    const entry = parseEntry(hash, value);
    if (typeof entry === 'string')
      complaints.push(`Entry ${index + 1} of the tokens of the installation is ignored: ${entry}.`);
    else entries.push(entry);
  }
  return { entries, complaints };
}

/**
 * Parses JSON without the message of JSON.parse, because that message quotes the text, which may hold hashes.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not valid JSON');
  }
}

/** Returns the entry, or why it is invalid. */
function parseEntry(hash: string, value: unknown): TokenEntry | string {
  if (!/^[0-9a-f]{64}$/i.test(hash)) return 'its name is not the SHA-256 of a token in hex';
  if (typeof value !== 'object' || value === null) return 'its value is not an object';
  const user = textOf(value, 'user');
  const team = textOf(value, 'team');
  const role = textOf(value, 'role');
  if (user === '') return 'it names no user';
  if (team === '') return 'it names no team';
  if (!isRole(role)) return 'its role is not one of read, write, maintain, admin';
  if (team !== '*') return { hash: Buffer.from(hash, 'hex'), identity: memberIdentity(user, team, role) };
  if (role !== 'admin') return 'team * is for the role admin only';
  return { hash: Buffer.from(hash, 'hex'), identity: { user, globalAdmin: true, teams: new Map() } };
}

function memberIdentity(user: string, team: string, role: Role): Identity {
  return { user, globalAdmin: false, teams: new Map([[team, role]]) };
}

function textOf(value: object, name: string): string {
  const text: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof text === 'string' ? text : '';
}

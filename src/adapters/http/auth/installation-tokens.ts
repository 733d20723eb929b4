import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '#adapters/http/protocol/timeout.ts';
import { bearerToken, type Authorization, type Authorize } from './authorize.ts';
import { parseTokens, type TokenEntry } from './parse-installation-tokens.ts';

/** Where the tokens of the installation stand: one Secret, seen in two ways. */
export interface TokenSources {
  /**
   * Mounted: there without the API server, but the kubelet brings what changes only at its next round, a
   * minute later or two.
   */
  file: string | undefined;
  /** As the API server has it now, undefined when it has none. Throws when nobody can say. */
  newest?: (() => Promise<string | undefined>) | undefined;
}

interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
  /** How long the API server may take. */
  patienceMs: number;
}
const REAL: Clock = { now: () => performance.now(), sleep, patienceMs: 2000 };

/** For how long a token that was found needs no new look, and how far apart looks begin. */
const OF_FILE = { knownMs: 1000, apartMs: 0 };
const OF_SECRET = { knownMs: 5000, apartMs: 1000 };
/**
 * Longer than the kubelet takes: a file that comes from then on is no older than what the API server said
 * last.
 */
const FILE_AFTER_MS = 150_000;
const LARGEST_FILE = 1024 * 1024;

/**
 * Tokens of the installation, from a Secret. Nobody is refused by an old look: a token that is not known
 * waits for one that began after it was asked. While nothing can be read, what was last read counts.
 */
export function authorizeByInstallation(
  sources: TokenSources,
  complain: (sentence: string) => void,
  clock: Clock = REAL,
): Authorize {
  const tokens = readTokens(sources, complain, clock);
  const { knownMs, apartMs } = sources.newest === undefined ? OF_FILE : OF_SECRET;
  const lookedSince = sharedLooks(async () => await tokens.read(), apartMs, clock);
  return async ({ authorization }) => {
    const token = bearerToken(authorization);
    if (token === undefined) return 'anonymous';
    if (token === '') return 'invalid';
    const asked = clock.now();
    await lookedSince(asked - knownMs);
    const found = find(tokens.entries(), token);
    if (found !== 'invalid') return found;
    await lookedSince(asked);
    return find(tokens.entries(), token);
  };
}

/**
 * Makes sure that a look ended which began no earlier than `since`; all who wait for one share it. `look`
 * never fails.
 */
function sharedLooks(look: () => Promise<void>, apartMs: number, clock: Clock) {
  let begun = -Infinity;
  let ended = -Infinity;
  let running: Promise<void> | undefined;
  async function next(): Promise<void> {
    const wait = begun + apartMs - clock.now();
    if (wait > 0) await clock.sleep(wait);
    begun = clock.now();
    await look();
    ended = begun;
    running = undefined;
  }
  return async (since: number): Promise<void> => {
    while (ended < since) {
      running ??= next();
      await running;
    }
  };
}

function readTokens({ file, newest }: TokenSources, complain: (sentence: string) => void, clock: Clock) {
  let entries: TokenEntry[] = [];
  let used: string | undefined;
  let answeredAt = -Infinity;
  let fileThen: string | undefined;
  const ofSecret = complainingOnce('The Secret with the tokens of the installation', complain);
  const ofFile = complainingOnce(`The tokens file ${file}`, complain);

  function use(text: string | undefined): void {
    if (text === used) return;
    const parsed = text === undefined ? { entries: [], complaints: [] } : parseTokens(text);
    entries = parsed.entries;
    used = text;
    for (const sentence of parsed.complaints) complain(sentence);
  }
  /**
   * While the API server is away, the kubelet too may know nothing newer; and it leaves the file of a Secret
   * that was deleted as it was.
   */
  const fileIsOld = async (): Promise<boolean> =>
    clock.now() - answeredAt < FILE_AFTER_MS ||
    (answeredAt > -Infinity && (await versionOf(file)) === fileThen);
  return {
    entries: () => entries,
    async read(): Promise<void> {
      if (newest !== undefined) {
        await ofSecret(async () => {
          const text = await within(clock.patienceMs, newest());
          answeredAt = clock.now();
          fileThen = await versionOf(file);
          use(text);
        });
        if (await fileIsOld()) return;
      }
      if (file !== undefined) await ofFile(async () => use(await textOf(file)));
    },
  };
}

/** What goes on failing for one reason is told once. */
function complainingOnce(what: string, complain: (sentence: string) => void) {
  let told = '';
  return async (read: () => Promise<void>): Promise<void> => {
    try {
      await read();
      told = '';
    } catch (error) {
      const sentence = `${what} cannot be used: ${error instanceof Error ? error.message : 'unknown'}`;
      if (sentence !== told) complain(sentence);
      told = sentence;
    }
  };
}

/** Another one when the file was swapped; undefined where there is none. */
async function versionOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const found = await stat(file).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeMs}`;
}

async function textOf(file: string): Promise<string> {
  if ((await stat(file)).size > LARGEST_FILE) throw new Error('it is larger than 1 MiB');
  return await readFile(file, 'utf8');
}

/** Compares with every entry, so that the time tells nothing about which one came near. */
function find(entries: TokenEntry[], token: string): Authorization {
  const hash = createHash('sha256').update(token).digest();
  let found: Authorization = 'invalid';
  for (const entry of entries) {
    if (timingSafeEqual(entry.hash, hash)) found = entry.identity;
  }
  return found;
}

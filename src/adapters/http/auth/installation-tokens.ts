import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#adapters/http/protocol/timeout.ts';
import { bearerToken, type Authenticate, type Authentication } from './authenticate.ts';
import { parseTokens, type TokenEntry } from './parse-installation-tokens.ts';

/** Where the tokens of the installation come from: one Secret, read in two ways. */
export interface TokenSources {
  /**
   * The mounted file. It is readable without the API server, but the kubelet updates it only a minute or two
   * later.
   */
  file: string | undefined;
  /**
   * Reads the Secret from the API server. Undefined if there is none; throws if the API server does not
   * respond.
   */
  newest?: (() => Promise<string | undefined>) | undefined;
}

interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
  /** How long the API server may take, in milliseconds. */
  timeoutMs: number;
}
const REAL: Clock = { now: () => performance.now(), sleep, timeoutMs: 2000 };

/**
 * `knownMs`: how long a token that was found counts without another read. `apartMs`: the least time between
 * reads.
 */
const OF_FILE = { knownMs: 1000, apartMs: 0 };
const OF_SECRET = { knownMs: 5000, apartMs: 1000 };
/**
 * Longer than the kubelet takes: a file that changes after this time is no older than the last response of
 * the API server.
 */
const FILE_AFTER_MS = 150_000;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Authorizes tokens of the installation, from a Secret. An unknown token is refused only after a read that
 * started after the request. If nothing can be read, the last content counts.
 */
export function authenticateByInstallation(
  sources: TokenSources,
  report: (sentence: string) => void,
  clock: Clock = REAL,
): Authenticate {
  const tokens = readTokens(sources, report, clock);
  const { knownMs, apartMs } = sources.newest === undefined ? OF_FILE : OF_SECRET;
  const readSince = sharedReads(async () => await tokens.read(), apartMs, clock);
  return async ({ authorization }) => {
    const token = bearerToken(authorization);
    if (token === undefined) return 'anonymous';
    if (token === '') return 'invalid';
    const requestedAt = clock.now();
    await readSince(requestedAt - knownMs);
    const found = find(tokens.entries(), token);
    if (found !== 'invalid') return found;
    await readSince(requestedAt);
    return find(tokens.entries(), token);
  };
}

/**
 * Returns a function that waits for a read that started at or after `since`; concurrent callers share one.
 * `read` never throws.
 */
function sharedReads(read: () => Promise<void>, apartMs: number, clock: Clock) {
  let lastStart = -Infinity;
  /** When the last finished read started. */
  let finishedStart = -Infinity;
  let running: Promise<void> | undefined;
  async function next(): Promise<void> {
    const wait = lastStart + apartMs - clock.now();
    if (wait > 0) await clock.sleep(wait);
    lastStart = clock.now();
    await read();
    finishedStart = lastStart;
    running = undefined;
  }
  return async (since: number): Promise<void> => {
    while (finishedStart < since) {
      running ??= next();
      await running;
    }
  };
}

function readTokens({ file, newest }: TokenSources, report: (sentence: string) => void, clock: Clock) {
  let entries: TokenEntry[] = [];
  let used: string | undefined;
  let answeredAt = -Infinity;
  let fileThen: string | undefined;
  const ofSecret = reportOnce('The Secret with the tokens of the installation', report);
  const ofFile = reportOnce(`The tokens file ${file}`, report);

  function use(text: string | undefined): void {
    if (text === used) return;
    const parsed = text === undefined ? { entries: [], complaints: [] } : parseTokens(text);
    entries = parsed.entries;
    used = text;
    for (const sentence of parsed.complaints) report(sentence);
  }
  /**
   * Without the API server the kubelet may know nothing newer either, and it leaves the file of a deleted
   * Secret as it was.
   */
  const fileIsOld = async (): Promise<boolean> =>
    clock.now() - answeredAt < FILE_AFTER_MS ||
    (answeredAt > -Infinity && (await versionOf(file)) === fileThen);
  return {
    entries: () => entries,
    async read(): Promise<void> {
      if (newest !== undefined) {
        await ofSecret(async () => {
          const text = await withTimeout(clock.timeoutMs, newest());
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

/** Reports the same error only once in a row. */
function reportOnce(what: string, report: (sentence: string) => void) {
  let reported = '';
  return async (read: () => Promise<void>): Promise<void> => {
    try {
      await read();
      reported = '';
    } catch (error) {
      const sentence = `${what} cannot be used: ${error instanceof Error ? error.message : 'unknown'}`;
      if (sentence !== reported) report(sentence);
      reported = sentence;
    }
  };
}

/** Changes when the file is replaced; undefined if there is none. */
async function versionOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const found = await stat(file).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeMs}`;
}

async function textOf(file: string): Promise<string> {
  if ((await stat(file)).size > MAX_FILE_BYTES) throw new Error('it is larger than 1 MiB');
  return await readFile(file, 'utf8');
}

/** Compares with every entry, so that the time does not reveal which one was close. */
function find(entries: TokenEntry[], token: string): Authentication {
  const hash = createHash('sha256').update(token).digest();
  let found: Authentication = 'invalid';
  for (const entry of entries) {
    if (timingSafeEqual(entry.hash, hash)) found = entry.identity;
  }
  return found;
}

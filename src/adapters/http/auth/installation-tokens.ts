import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '#adapters/http/protocol/timeout.ts';
import { bearerToken, type Authenticate, type Authentication } from './authenticate.ts';
import { parseTokens, type TokenEntry } from './parse-installation-tokens.ts';

/** Where the tokens of the installation come from: one Secret, read in two ways. */
export interface TokenSources {
  /**
   * Path of the Secret as a mounted file. Undefined: it is not mounted. The file is readable while the API
   * server is unavailable, but the kubelet updates it only a minute or two after the Secret changes.
   */
  file: string | undefined;
  /**
   * Returns the text of the Secret from the API server, or undefined if the Secret does not exist. Throws if
   * the API server does not respond.
   */
  newest?: (() => Promise<string | undefined>) | undefined;
}

interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
  /** How long the API server may take, in milliseconds. */
  timeoutMs: number;
}
const REAL_CLOCK: Clock = { now: () => performance.now(), sleep, timeoutMs: 2000 };

/**
 * `validMs`: how long a read counts for a token that it contained. `intervalMs`: the shortest time between
 * the starts of two reads.
 */
const FILE_TIMES = { validMs: 1000, intervalMs: 0 };
const SECRET_TIMES = { validMs: 5000, intervalMs: 1000 };
/**
 * More than the time that the kubelet takes to update the file. If this long has passed since the last
 * response of the API server, and the file has changed since that response, the file counts as newer.
 */
const FILE_DELAY_MS = 150_000;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Returns a function that identifies the owner of a token of the installation. It refuses an unknown token
 * only after a read that started after the request. While the Secret cannot be read, the file counts, unless
 * it may be older than the last content of the Secret. While neither counts, the tokens of the last
 * successful read stay valid. `report` gets a sentence for each fault of a source.
 */
export function authenticateByInstallation(
  sources: TokenSources,
  report: (sentence: string) => void,
  clock: Clock = REAL_CLOCK,
): Authenticate {
  const tokens = readTokens(sources, report, clock);
  const { validMs, intervalMs } = sources.newest === undefined ? FILE_TIMES : SECRET_TIMES;
  const readSince = sharedReads(async () => await tokens.read(), intervalMs, clock);
  return async ({ authorization }) => {
    const token = bearerToken(authorization);
    if (token === undefined) return 'anonymous';
    if (token === '') return 'invalid';
    const requestedAt = clock.now();
    await readSince(requestedAt - validMs);
    const found = findIdentity(tokens.entries(), token);
    if (found !== 'invalid') return found;
    await readSince(requestedAt);
    return findIdentity(tokens.entries(), token);
  };
}

/**
 * Returns a function that waits for a read that started at or after `since`. Concurrent callers share one
 * read. `read` must never throw.
 */
function sharedReads(read: () => Promise<void>, intervalMs: number, clock: Clock) {
  let lastStart = -Infinity;
  /** When the last finished read started. */
  let finishedStart = -Infinity;
  let running: Promise<void> | undefined;
  async function startRead(): Promise<void> {
    const wait = lastStart + intervalMs - clock.now();
    if (wait > 0) await clock.sleep(wait);
    lastStart = clock.now();
    await read();
    finishedStart = lastStart;
    running = undefined;
  }
  return async (since: number): Promise<void> => {
    while (finishedStart < since) {
      running ??= startRead();
      await running;
    }
  };
}

function readTokens({ file, newest }: TokenSources, report: (sentence: string) => void, clock: Clock) {
  let entries: TokenEntry[] = [];
  let usedText: string | undefined;
  // When the API server last answered, and the version of the file at that time.
  let answeredAt = -Infinity;
  let fileVersion: string | undefined;
  const reportingSecretFaults = reportOnce('The Secret with the tokens of the installation', report);
  const reportingFileFaults = reportOnce(`The tokens file ${file}`, report);

  function useText(text: string | undefined): void {
    if (text === usedText) return;
    const parsed = text === undefined ? { entries: [], complaints: [] } : parseTokens(text);
    entries = parsed.entries;
    usedText = text;
    for (const sentence of parsed.complaints) report(sentence);
  }
  /**
   * Whether the file may be older than the last response of the API server. While the API server is
   * unavailable, the kubelet does not learn of a newer Secret, and it keeps the file of a deleted Secret.
   */
  const mayFileBeOld = async (): Promise<boolean> =>
    clock.now() - answeredAt < FILE_DELAY_MS ||
    (answeredAt > -Infinity && (await versionOf(file)) === fileVersion);
  return {
    entries: () => entries,
    async read(): Promise<void> {
      if (newest !== undefined) {
        await reportingSecretFaults(async () => {
          const text = await withTimeout(clock.timeoutMs, newest());
          answeredAt = clock.now();
          fileVersion = await versionOf(file);
          useText(text);
        });
        if (await mayFileBeOld()) return;
      }
      if (file !== undefined) await reportingFileFaults(async () => useText(await textOf(file)));
    },
  };
}

/**
 * Returns a function that reads a source and reports its error, unless the read before failed with the same
 * error.
 */
function reportOnce(source: string, report: (sentence: string) => void) {
  let reported = '';
  return async (read: () => Promise<void>): Promise<void> => {
    try {
      await read();
      reported = '';
    } catch (error) {
      const sentence = `${source} cannot be used: ${Error.isError(error) ? error.message : 'unknown'}`;
      if (sentence !== reported) report(sentence);
      reported = sentence;
    }
  };
}

/** Returns a text that changes when the file is replaced; undefined if there is no file. */
async function versionOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const fileStatus = await stat(file).catch(() => undefined);
  return fileStatus && `${fileStatus.ino} ${fileStatus.mtimeMs}`;
}

async function textOf(file: string): Promise<string> {
  if ((await stat(file)).size > MAX_FILE_BYTES) throw new Error('it is larger than 1 MiB');
  return await readFile(file, 'utf8');
}

/** Compares with every entry, so that the time does not reveal which entry matches. */
function findIdentity(entries: TokenEntry[], token: string): Authentication {
  const hash = createHash('sha256').update(token).digest();
  let identity: Authentication = 'invalid';
  for (const entry of entries) {
    if (timingSafeEqual(entry.hash, hash)) identity = entry.identity;
  }
  return identity;
}

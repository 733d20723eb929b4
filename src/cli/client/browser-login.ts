import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, type Terminal } from '#cli/terminal.ts';
import { backOffMs } from '#domain/back-off.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { Api } from './api.ts';
import { openWithSystem } from './open-page.ts';
import type { CliLoginFinishedJson, CliLoginJson, SessionJson } from './response-types.ts';
import { endSentence, isWorthRetrying } from './stream-build.ts';

const MAX_CLIENT_CHARACTERS = 100;

/** How long a person has to confirm a login. A shorter outage of the gateway does not end the login. */
const LIFETIME_MS = 5 * 60_000;
const MAX_PAUSE_MS = 15_000;

export const NO_SESSION =
  'the server sent no session: it may be older or newer than this command line. Update one, and try again';

export interface BrowserLoginOptions {
  /** False: only print the address and the code. */
  browser?: boolean;
}

/**
 * Gets a session that a person confirms in a browser, on this or another machine. This process exchanges a
 * secret for the session; until then the server knows only the secret's hash.
 */
export async function loginInBrowser(
  url: string,
  { browser = true }: BrowserLoginOptions,
  terminal: Terminal,
): Promise<SessionJson> {
  const api = new Api({ url, tokenOrigin: 'none' }, undefined);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const started = (
    await api.ask<CliLoginJson>('POST', '/auth/cli-logins', { challenge, client: clientName() })
  ).data;
  const code = replaceInvisible(started.code);
  const page = `${url}/profile/cli-login`;
  if (browser) {
    terminal.err(`Confirm the login in your browser if the page shows the code ${code}:\n`);
    terminal.err(`  ${page}?code=${code}\n`);
    await openQuietly(`${page}?code=${encodeURIComponent(started.code)}`, terminal);
  } else {
    terminal.err(`Open this page in a browser, on any machine, and enter the code ${code}:\n  ${page}\n`);
  }
  terminal.err('Waiting for five minutes at most. Press Ctrl+C to stop.\n');
  return await waitForSession(api, { verifier, interval: started.interval }, terminal);
}

/** Opens a browser. A failure does not end the login, because the address is on the screen. */
async function openQuietly(address: string, terminal: Terminal): Promise<void> {
  try {
    await (terminal.openBrowser ?? openWithSystem)(address);
  } catch {
    terminal.err('No browser could be opened: open the address yourself.\n');
  }
}

async function waitForSession(
  api: Api,
  { verifier, interval }: { verifier: string; interval: number },
  terminal: Terminal,
): Promise<SessionJson> {
  const startedAt = performance.now();
  let pausedMs = 0;
  for (let failures = 0; ;) {
    const pauseMs = backOffMs(Math.max(failures, 1), {
      firstMs: interval * 1000,
      longestMs: MAX_PAUSE_MS,
    });
    await (terminal.pause ?? sleep)(pauseMs);
    pausedMs += pauseMs;
    try {
      const { data } = await api.ask<CliLoginFinishedJson>('POST', '/auth/cli-logins/finish', { verifier });
      failures = 0;
      if (!data.confirmed) continue;
      if (data.session === undefined) throw new CommandError(NO_SESSION);
      return data.session;
    } catch (error) {
      const waitedMs = Math.max(pausedMs, performance.now() - startedAt);
      if (!isWorthRetrying(error) || waitedMs >= LIFETIME_MS) throw error;
      failures += 1;
      if (failures === 1)
        terminal.err(`${endSentence(error.message)} Trying again until the login expires.\n`);
    }
  }
}

/** How the confirmation page names this machine. */
function clientName(): string {
  return (
    hostname()
      .replaceAll(/[^\u0020-\u007E]/g, '?')
      .slice(0, MAX_CLIENT_CHARACTERS) || 'unknown'
  );
}

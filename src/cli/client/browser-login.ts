import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, type Terminal } from '#cli/terminal.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { Api } from './api.ts';
import { openWithSystem } from './open-page.ts';
import { ProblemError } from './problem-error.ts';
import type { CliLoginFinishedJson, CliLoginJson, SessionJson } from './response-types.ts';
import { Unreachable } from './unreachable.ts';

const MAX_CLIENT_CHARACTERS = 100;

/** A login survives a short outage: it ends after this many temporary failures in a row. */
const MAX_FAILURES = 3;

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
    terminal.err(`Confirm the login in your browser, where you see the code ${code}:\n`);
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
  for (let failures = 0; ;) {
    await (terminal.pause ?? sleep)(interval * 1000);
    try {
      const { data } = await api.ask<CliLoginFinishedJson>('POST', '/auth/cli-logins/finish', { verifier });
      failures = 0;
      if (!data.confirmed) continue;
      if (data.session === undefined) throw new CommandError('the server sent no session');
      return data.session;
    } catch (error) {
      failures += 1;
      if (!isTemporary(error) || failures >= MAX_FAILURES) throw error;
    }
  }
}

/** Whether no gateway answered, or it refused the request because of a rate limit. */
const isTemporary = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ProblemError && error.status === 429);

/** How the confirmation page names this machine. */
function clientName(): string {
  return (
    hostname()
      .replaceAll(/[^\u0020-\u007E]/g, '?')
      .slice(0, MAX_CLIENT_CHARACTERS) || 'unknown'
  );
}

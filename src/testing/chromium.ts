import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
const run = promisify(execFile);

/** Debian's own browser, installed when it is missing. `served` tells under which name which port of this machine is found. */
export async function startChromium(served: { host: string; port: number }): Promise<Browser> {
  if (!existsSync(PROGRAM)) await install();
  return await chromium.launch({
    executablePath: PROGRAM,
    // A container seldom lets a browser make a sandbox; it sees only pages of this test.
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${served.host}:443 127.0.0.1:${served.port}`],
  });
}

async function install(): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error('chromium is missing: install the Debian package chromium, and try again.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
}

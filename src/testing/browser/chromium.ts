import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

export const CHROMIUM = '/usr/bin/chromium';
const run = promisify(execFile);

interface ServedHost {
  host: string;
  port: number;
  /** The port in the browser's URLs. Absent: the port of HTTPS. */
  browserPort?: number;
}

/**
 * Starts Debian's browser, which it installs if it is missing. `served` maps host names to ports of this
 * machine.
 */
export async function startChromium(...served: ServedHost[]): Promise<Browser> {
  await installChromium();
  const rules = served.map(
    ({ host, port, browserPort = 443 }) => `MAP ${host}:${browserPort} 127.0.0.1:${port}`,
  );
  return await chromium.launch({
    executablePath: CHROMIUM,
    // Containers rarely allow a browser sandbox, and this browser opens only pages of this test.
    args: ['--no-sandbox', `--host-resolver-rules=${rules.join(',')}`],
  });
}

/** Installs Debian's browser if it is missing. */
export async function installChromium(): Promise<void> {
  if (existsSync(CHROMIUM)) return;
  if (process.getuid?.() !== 0)
    throw new Error('chromium is missing: install the Debian package chromium, and try again.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
}

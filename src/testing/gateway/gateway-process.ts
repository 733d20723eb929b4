import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '#testing/network/free-port.ts';

/** A replica of the public gateway in a process, as in its Pod. */
export interface GatewayProcess {
  base: string;
  /** The base URL of `/readyz` and `/metrics`. */
  probe: string;
  log(): string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null if a signal ended it. */
  ended: Promise<number | null>;
}

/** Writes the keys that replicas share into a new folder. */
export function makeKeys(key: Buffer): { directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-keys-'));
  for (const name of ['webhook', 'session']) writeFileSync(join(directory, name), key.toString('base64url'));
  return { directory, remove: () => rmSync(directory, { recursive: true }) };
}

export async function startGatewayProcess(
  name: string,
  databaseUrl: string,
  keysDirectory: string,
): Promise<GatewayProcess> {
  const port = await freePort();
  const probePort = await freePort();
  const main = join(import.meta.dirname, '..', '..', 'main.ts');
  const child = spawn(process.execPath, [main, 'gateway', '--role', 'public'], {
    env: {
      PATH: process.env['PATH'],
      MILLRACE_NAMESPACE: 'test',
      MILLRACE_POD_NAME: name,
      MILLRACE_RELEASE: 'millrace',
      MILLRACE_DATABASE_URL: databaseUrl,
      MILLRACE_KEYS_DIR: keysDirectory,
      MILLRACE_LISTEN: `127.0.0.1:${port}`,
      MILLRACE_METRICS_LISTEN: `127.0.0.1:${probePort}`,
      MILLRACE_EXTERNAL_URL: 'https://ci.example.org',
      MILLRACE_SESSION_LIFETIME: '1h',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const gateway: GatewayProcess = {
    base: `http://127.0.0.1:${port}`,
    probe: `http://127.0.0.1:${probePort}`,
    log: () => output.join(''),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null)),
  };
  for (let times = 0; !(await isReady(gateway)); times += 1) {
    if (child.exitCode !== null || times > 12_000)
      throw new Error(`${name} did not start:\n${gateway.log()}`);
    await pause(50);
  }
  return gateway;
}

export async function isReady({ probe }: Pick<GatewayProcess, 'probe'>): Promise<boolean> {
  try {
    const response = await fetch(`${probe}/readyz`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from '#bench/process-cost.ts';
import { freePort } from '#testing/network/free-port.ts';

/** A public gateway in a separate process: the released program with the flags of the chart. */
export interface MeasuredGateway {
  base: string;
  pid: number;
  /** Delays of its event loop since the previous call, in milliseconds. */
  takeDelay(): Promise<{ p99: number; max: number }>;
  /**
   * CPU seconds of the process and its children so far. Other work on the machine distorts them less
   * than rates and delays.
   */
  cpuSeconds(): number;
  /** Ends the process with SIGKILL, in the middle of its work. */
  kill(): Promise<void>;
  /** Ends the process with SIGINT and waits until it has exited. */
  stop(): Promise<void>;
}

const ROOT = new URL('../../', import.meta.url).pathname;
export const PROGRAM = `${ROOT}dist/millrace.js`;
/** V8 flags: by default those of the chart. */
const FLAGS = (process.env['GATEWAY_FLAGS'] ?? '--max-semi-space-size=4').split(' ');
/** How long the gateway may take until it answers `/health` with 200. */
const TIMEOUT_MS = 20_000;

export async function startGateway(databaseUrl: string, keysDirectory: string): Promise<MeasuredGateway> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(
    process.execPath,
    [...FLAGS, '--import', `${import.meta.dirname}/watch-delay.ts`, PROGRAM, 'gateway', '--role', 'public'],
    {
      // The log is written, but discarded.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        // The values in the chart.
        MALLOC_TRIM_THRESHOLD_: '65536',
        MALLOC_ARENA_MAX: '1',
        MILLRACE_DATABASE_URL: databaseUrl,
        MILLRACE_KEYS_DIR: keysDirectory,
        MILLRACE_NAMESPACE: 'millrace-system',
        MILLRACE_POD_NAME: 'gateway-0',
        MILLRACE_RELEASE: 'millrace',
        MILLRACE_LISTEN: `127.0.0.1:${port}`,
        MILLRACE_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
        MILLRACE_SESSION_LIFETIME: '1d',
        // The load names other client addresses in a header, as a proxy does.
        MILLRACE_TRUSTED_PROXIES: '127.0.0.1/32',
      },
    },
  );
  const base = `http://127.0.0.1:${port}`;
  const exited = once(child, 'exit');
  await waitUntilReady(base, child);
  return {
    base,
    pid: child.pid ?? 0,
    async takeDelay() {
      const reported = once(child, 'message');
      child.send('delay');
      const [delay]: { p99: number; max: number }[] = await reported;
      if (delay === undefined) throw new Error('The gateway did not report the delay of its event loop.');
      return delay;
    },
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.kill('SIGINT');
      await exited;
    },
  };
}

async function waitUntilReady(base: string, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`The gateway ended with code ${child.exitCode}.`);
    const answer = await fetch(`${base}/health`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
  }
  throw new Error('The gateway did not get ready.');
}

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { shimKey } from '#adapters/process/sealed-frames.ts';
import { memoryOf } from '#bench/process-cost.ts';
import { CONTAINER, type AgentEnd } from './agents.ts';

const SOURCES = join(import.meta.dirname, '../../../src/agent/shim');
/** The same flags as in `tools/dist/shim.ts`, with another version. */
const FLAGS = ['-trimpath', '-ldflags', '-s -w -X main.version=measured0000'];

/**
 * Builds the whole shim as a release does, but for this machine only and with `channelSource` in place of
 * `link.go`, the file that connects to the agent. Returns the program's path and size in bytes.
 */
export async function buildShim(
  folder: string,
  channelSource: string,
): Promise<{ program: string; bytes: number }> {
  mkdirSync(folder);
  for (const file of globSync(join(SOURCES, '{*.go,go.mod}'))) {
    if (!file.endsWith('_test.go')) copyFileSync(file, join(folder, basename(file)));
  }
  copyFileSync(channelSource, join(folder, 'link.go'));
  const program = join(folder, 'shim');
  await promisify(execFile)('go', ['build', ...FLAGS, '-o', program, '.'], {
    cwd: folder,
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' },
  });
  return { program, bytes: statSync(program).size };
}

/** The channel that Millrace uses. */
export const SEALED_CHANNEL = join(SOURCES, 'link.go');

export function startShim(program: string, secret: string, agent: AgentEnd): ChildProcess {
  return spawn(program, [], {
    stdio: 'inherit',
    env: {
      MILLRACE_SHIM_PORT: String(agent.port),
      MILLRACE_CONTAINER: CONTAINER,
      MILLRACE_SHIM_KEY: shimKey(secret, CONTAINER).toString('hex'),
      ...agent.environment,
    },
  });
}

/**
 * Usage of the shim without the commands that it runs: processor time of its threads in milliseconds, current
 * and largest resident memory in MiB.
 */
export function usageOf(pid: number): { cpuMs: number; rss: number; peak: number } {
  const nanoseconds = readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]))
    .reduce((sum, threadTime) => sum + threadTime, 0);
  const { now, peak } = memoryOf(pid);
  return { cpuMs: nanoseconds / 1e6, rss: now, peak };
}

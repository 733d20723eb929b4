import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { explained } from './explain.ts';
import { binaryPath, type Folders } from './folders.ts';
import {
  clusterVariable,
  endAll,
  identityOf,
  isAlive,
  markedProcesses,
  partVariable,
  type ProcessIdentity,
} from './identity.ts';
import { systemFolders } from './prerequisites.ts';
import { lastLines } from './run.ts';

/** A program of the cluster: how it starts, and when it is ready. */
export type ClusterPart = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly ready: () => Promise<boolean>;
};

/** A larger log is renamed at the next start, so that two files remain. */
const MAX_LOG_BYTES = 32 * 1024 * 1024;

/** How long a part may take until it is ready. */
const readySeconds = 600;

export function logFile(folders: Folders, name: string): string {
  return join(folders.state, 'logs', `${name}.log`);
}

/**
 * The living process of a part, which its pid file names. If a start was killed before it wrote that file,
 * the variable in the environment of the process identifies it.
 */
export function processOf(folders: Folders, part: ClusterPart): ProcessIdentity | undefined {
  const recorded = readPidFile(pidFile(folders, part.name));
  if (recorded !== undefined && isAlive(recorded)) {
    return recorded;
  }
  return markedProcesses(folders.state).find(
    (marked) =>
      marked.part === part.name &&
      basename(marked.command) === basename(part.command) &&
      isSessionLeader(marked.identity.pid),
  )?.identity;
}

/** Starts a part if it does not run. Returns whether it was started. */
export function startPart(folders: Folders, part: ClusterPart): boolean {
  const running = processOf(folders, part);
  if (running !== undefined) {
    writePidFile(pidFile(folders, part.name), running);
    return false;
  }
  mkdirSync(join(folders.state, 'logs'), { recursive: true });
  const log = logFile(folders, part.name);
  if (existsSync(log) && statSync(log).size > MAX_LOG_BYTES) {
    renameSync(log, `${log}.1`);
  }
  const output = openSync(log, 'a', 0o600);
  const child = spawn(part.command, [...part.args], {
    cwd: folders.state,
    detached: true,
    stdio: ['ignore', output, output],
    env: environmentFor(folders, part),
  });
  closeSync(output);
  child.on('error', () => {
    // A program that cannot start has no pid, which is reported below.
  });
  child.unref();
  if (child.pid === undefined) {
    throw explained(`${part.name} could not be started from ${part.command}; run \`build\` again.`);
  }
  const identity = identityOf(child.pid);
  if (identity !== undefined) {
    writePidFile(pidFile(folders, part.name), identity);
  }
  return true;
}

/**
 * Waits until a part is ready. If it exits first or takes longer than 600 s, throws with the end of its log.
 */
export async function waitUntilReady(folders: Folders, part: ClusterPart): Promise<void> {
  const end = performance.now() + readySeconds * 1000;
  while (!(await part.ready())) {
    const alive = processOf(folders, part) !== undefined;
    if (alive && performance.now() < end) {
      await sleep(50);
      continue;
    }
    const log = logFile(folders, part.name);
    const problem = alive ? `was not ready after ${readySeconds} s` : 'ended right after its start';
    throw explained(
      `${part.name} ${problem}; the end of ${log}:\n${lastLines(readFileSync(log, 'utf8'), 15)}`,
    );
  }
}

/** Stops a part, with SIGKILL after this many seconds. Returns whether it ran. */
export async function stopPart(folders: Folders, part: ClusterPart, seconds: number): Promise<boolean> {
  const running = processOf(folders, part);
  if (running !== undefined) {
    await endAll([running], seconds);
  }
  rmSync(pidFile(folders, part.name), { force: true });
  return running !== undefined;
}

function environmentFor(folders: Folders, part: ClusterPart): NodeJS.ProcessEnv {
  return {
    PATH: [dirname(binaryPath(folders, 'runc')), ...systemFolders].join(':'),
    HOME: '/root',
    [clusterVariable]: folders.state,
    [partVariable]: part.name,
  };
}

/** Whether a process leads its session. Parts do, their helper processes do not. */
function isSessionLeader(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5): after the command, which is in parentheses, comes field 3. The session is field 6.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3] === String(pid);
  } catch {
    // The process has ended meanwhile.
    return false;
  }
}

function pidFile(folders: Folders, name: string): string {
  return join(folders.state, 'pids', `${name}.json`);
}

function writePidFile(path: string, identity: ProcessIdentity): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(identity));
  renameSync(`${path}.new`, path);
}

function readPidFile(path: string): ProcessIdentity | undefined {
  if (!existsSync(path)) {
    return undefined;
  }
  try {
    return identityFrom(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function identityFrom(value: unknown): ProcessIdentity | undefined {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('pid' in value && 'startTime' in value && 'bootId' in value)
  ) {
    return undefined;
  }
  const { pid, startTime, bootId } = value;
  return typeof pid === 'number' && typeof startTime === 'string' && typeof bootId === 'string'
    ? { pid, startTime, bootId }
    : undefined;
}

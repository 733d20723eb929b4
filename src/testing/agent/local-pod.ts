import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shimKey } from '#adapters/process/sealed-frames.ts';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import { killIfRunning } from '#testing/process/kill-if-running.ts';

const AS_NOBODY = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--bounding-set=-all',
  '--no-new-privs',
];

const asNobodyIn = (folder: string): string[] => ['chroot', '--userspec=65534:65534', '--groups=', folder];

/** The words before a command that choose its user and its root directory. */
function userOf({ root, rootFolder }: ShimOptions): string[] {
  if (root === true) return [];
  return rootFolder === undefined ? AS_NOBODY : asNobodyIn(rootFolder);
}

export interface ShimOptions {
  environment?: Record<string, string>;
  port?: number;
  key?: string;
  /** Runs as root with all capabilities instead of as nobody. */
  root?: boolean;
  /**
   * Runs as an ordinary process instead of as process 1 of its own namespace. Then `root`, `before` and
   * `rootFolder` have no effect.
   */
  plain?: boolean;
  /** A command that root runs in the container's namespaces before the shim starts. */
  before?: string;
  /**
   * The root directory of the container, which contains the shim at its path. Absent: that of the machine.
   */
  rootFolder?: string;
}

/**
 * The processes of a Pod on this machine. As in a Pod, each shim is process 1 of its own namespace and runs
 * as nobody, unless its options say otherwise.
 */
export class LocalPod {
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-pod-'));
  readonly workdir = join(this.folder, 'work');
  readonly secret = randomBytes(32).toString('base64url');
  readonly terminationLog = join(this.folder, 'termination-log');
  port = 0;
  readonly #temporary = join(this.folder, 'tmp');
  readonly #children: ChildProcess[] = [];

  /** Makes the directories of the Pod. `port` is a free port at which the shims will find their agent. */
  open(port: number): void {
    this.port = port;
    chmodSync(this.folder, 0o755);
    mkdirSync(this.workdir);
    chmodSync(this.workdir, 0o777);
    mkdirSync(this.#temporary);
    chmodSync(this.#temporary, 0o1777);
  }

  /** Ends all processes that still run, and removes the directories of the Pod. */
  async close(): Promise<void> {
    for (const child of this.#children) kill(child);
    await Promise.all(this.#children.map(ended));
    rmSync(this.folder, { recursive: true, force: true });
  }

  startShim(binary: string, container: string, more: ShimOptions = {}): ChildProcess {
    const prepared = ['sh', '-c', `${more.before ?? ':'} && exec "$@"`, 'sh', ...userOf(more), binary];
    const namespace = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
    return this.#start(more.plain === true ? [binary] : [...namespace, ...prepared], {
      TMPDIR: this.#temporary,
      MILLRACE_CONTAINER: container,
      MILLRACE_SHIM_PORT: String(more.port ?? this.port),
      MILLRACE_SHIM_KEY: more.key ?? shimKey(this.secret, container).toString('hex'),
      ...more.environment,
    });
  }

  /** `program`: the path of the agent's bundle, perhaps with options of Node before it. */
  startAgent(
    program: string | readonly string[],
    gateway: string,
    certificateAuthority: string,
    more: Record<string, string> = {},
  ): ChildProcess {
    return this.#start([process.execPath].concat(program), {
      [AGENT_ENVIRONMENT.gateway]: gateway,
      [AGENT_ENVIRONMENT.certificateAuthority]: certificateAuthority,
      [AGENT_ENVIRONMENT.nonce]: 'nonce',
      [AGENT_ENVIRONMENT.podName]: 'pod',
      [AGENT_ENVIRONMENT.podNamespace]: 'team',
      [AGENT_ENVIRONMENT.podUid]: 'uid',
      [AGENT_ENVIRONMENT.shimPort]: String(this.port),
      [AGENT_ENVIRONMENT.shimSecret]: this.secret,
      MILLRACE_TERMINATION_LOG: this.terminationLog,
      MILLRACE_SPOOL_FOLDER: this.folder,
      ...more,
    });
  }

  termination(): unknown {
    return existsSync(this.terminationLog)
      ? JSON.parse(readFileSync(this.terminationLog, 'utf8'))
      : undefined;
  }

  #start(command: string[], environment: Record<string, string>): ChildProcess {
    const [program = '', ...words] = command;
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const child = spawn(program, words, {
      env: { PATH: path, HOME: '/', ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#children.push(child);
    return child;
  }
}

/** Resolves when the process has ended, with its exit code or the name of the signal that ended it. */
export function ended(child: ChildProcess): Promise<number | string> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child.exitCode ?? child.signalCode ?? '');
  }
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? '')));
}

/** The process that `unshare` started: the shim itself. */
export function onlyChild(parent: ChildProcess): number {
  const [child] = childrenOf(parent.pid ?? 0);
  // A signal to process 0 would reach the whole process group, this process included.
  if (child === undefined) throw new Error(`process ${parent.pid} has no child`);
  return child;
}

/** The child processes of all threads of a process. Skips threads that have ended meanwhile. */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((task) => {
    const text = textOf(`/proc/${pid}/task/${task}/children`).trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Killing a shim also ends its namespace. */
function kill(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of childrenOf(child.pid ?? 0)) killIfRunning(pid, 'SIGKILL');
  child.kill('SIGKILL');
}

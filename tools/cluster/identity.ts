import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process exactly: a reused pid has another start time, and after a reboot another boot id. */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string; readonly bootId: string };

/**
 * Environment variable of every part of a cluster, with the cluster's state folder. Child processes of parts
 * inherit it, containers do not.
 */
export const clusterVariable = 'MILLRACE_CLUSTER_STATE';

/** Environment variable of every part, with its name. */
export const partVariable = 'MILLRACE_CLUSTER_PART';

/** Identity of a living process; undefined if there is none or only a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) {
    return undefined;
  }
  // proc_pid_stat(5): after the command, which is in parentheses, comes field 3, the state. The start time is
  // field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  if (startTime === undefined || state === 'Z' || state === 'X') {
    return undefined;
  }
  return { pid, startTime, bootId: bootId() };
}

/** Whether exactly this process is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  const current = identityOf(identity.pid);
  return (
    current !== undefined && current.startTime === identity.startTime && current.bootId === identity.bootId
  );
}

/** Sends a signal to exactly this process; false if it has ended. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) {
    return false;
  }
  try {
    return process.kill(identity.pid, name);
  } catch {
    return false;
  }
}

/** Waits until all processes have ended. Returns false after the timeout. */
export async function waitUntilEnded(
  identities: readonly ProcessIdentity[],
  seconds: number,
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (identities.some(isAlive)) {
    if (performance.now() > end) {
      return false;
    }
    await sleep(25);
  }
  return true;
}

/**
 * Sends SIGTERM to the processes, and SIGKILL if one of them still runs after this many seconds. Then waits
 * for at most two minutes, and does not throw if one still runs after that.
 */
export async function endAll(identities: readonly ProcessIdentity[], seconds: number): Promise<void> {
  for (const identity of identities) {
    signal(identity, 'SIGTERM');
  }
  if (await waitUntilEnded(identities, seconds)) {
    return;
  }
  for (const identity of identities) {
    signal(identity, 'SIGKILL');
  }
  await waitUntilEnded(identities, 120);
}

/** Every process whose environment names this cluster, with the part that it belongs to; `''` if none. */
export function markedProcesses(
  state: string,
): { identity: ProcessIdentity; part: string; command: string }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const variables = read(`/proc/${entry}/environ`)?.split('\0') ?? [];
      const identity = variables.includes(`${clusterVariable}=${state}`)
        ? identityOf(Number(entry))
        : undefined;
      if (identity === undefined) {
        return [];
      }
      const part =
        variables
          .find((variable) => variable.startsWith(`${partVariable}=`))
          ?.slice(partVariable.length + 1) ?? '';
      const command = (read(`/proc/${entry}/cmdline`) ?? '').split('\0')[0] ?? '';
      return [{ identity, part, command }];
    });
}

function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

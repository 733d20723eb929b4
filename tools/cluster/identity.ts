import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A process beyond doubt: a pid that was given away again has another start time, and after a restart another
 * boot.
 */
export type Identity = { readonly pid: number; readonly startTime: string; readonly bootId: string };

/**
 * Set in the environment of every process of a cluster: its state folder. Children inherit it, containers do
 * not.
 */
export const clusterVariable = 'MILLRACE_CLUSTER_STATE';

/** Set in the environment of every part: its name. */
export const partVariable = 'MILLRACE_CLUSTER_PART';

/** The identity of a living process; undefined where there is none or only its remains. */
export function identityOf(pid: number): Identity | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) {
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  if (startTime === undefined || state === 'Z' || state === 'X') {
    return undefined;
  }
  return { pid, startTime, bootId: bootId() };
}

/** Whether exactly this process still lives. */
export function isAlive(identity: Identity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** Sends a signal to exactly this process; false where it is gone. */
export function signal(identity: Identity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) {
    return false;
  }
  try {
    return process.kill(identity.pid, name);
  } catch {
    return false;
  }
}

/** Waits until all of them are gone; false where some outlive the time. */
export async function waitUntilGone(identities: readonly Identity[], seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (identities.some(isAlive)) {
    if (performance.now() > end) {
      return false;
    }
    await sleep(25);
  }
  return true;
}

/** Asks them to end, and after the time makes them end. */
export async function endAll(identities: readonly Identity[], seconds: number): Promise<void> {
  for (const identity of identities) {
    signal(identity, 'SIGTERM');
  }
  if (await waitUntilGone(identities, seconds)) {
    return;
  }
  for (const identity of identities) {
    signal(identity, 'SIGKILL');
  }
  await waitUntilGone(identities, 120);
}

/** Every process that carries a cluster's mark, with the part it is or descends from. */
export function markedProcesses(state: string): { identity: Identity; part: string; command: string }[] {
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
        variables.find((one) => one.startsWith(`${partVariable}=`))?.slice(partVariable.length + 1) ?? '';
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

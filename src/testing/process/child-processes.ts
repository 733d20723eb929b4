import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The ids of the child processes of this process: thread by thread, oldest first (Linux). */
export function childProcesses(): number[] {
  return readdirSync('/proc/self/task')
    .flatMap((task) => childrenOf(task).trim().split(' '))
    .filter((pid) => pid !== '')
    .map(Number);
}

/** Empty for a thread that has ended since it was listed. */
function childrenOf(task: string): string {
  try {
    return readFileSync(`/proc/self/task/${task}/children`, 'utf8');
  } catch {
    return '';
  }
}

/** A process's arguments and the names of its environment variables. */
export function describeProcess(pid: number): { args: string[]; variables: string[] } {
  const read = (name: string): string[] =>
    readFileSync(`/proc/${pid}/${name}`, 'utf8')
      .split('\0')
      .filter((text) => text !== '');
  return { args: read('cmdline'), variables: read('environ').map((text) => text.split('=', 1).join('')) };
}

/** Waits for a child that is not in `before`. */
export async function nextChild(before: readonly number[]): Promise<number> {
  for (;;) {
    const child = childProcesses().find((pid) => !before.includes(pid));
    if (child !== undefined) return child;
    await pause(1);
  }
}

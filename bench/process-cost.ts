import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Cost {
  /** Average use of processor time, in percent of one core. */
  cpuPercent: number;
  /**
   * Resident memory of the process and its descendants at the end, in MiB. Counts shared pages several times.
   */
  rss: number;
  /** The part of `rss` that belongs to descendants. */
  children: number;
  /** The largest `rss` of samples taken once a second. */
  peakRss: number;
}

const TICKS_PER_SECOND = 100;

/** Measures for this many seconds what a process and its descendants use. */
export async function costOf(pid: number, seconds: number): Promise<Cost> {
  const before = ticksOf(pid);
  const startedAt = performance.now();
  let peakRss = 0;
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1000);
    peakRss = Math.max(peakRss, residentOfFamily(pid));
  }
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpuPercent = ((ticksOf(pid) - before) / TICKS_PER_SECOND / elapsed) * 100;
  const rss = residentOfFamily(pid);
  return { cpuPercent, rss, children: rss - residentOf(pid), peakRss };
}

/**
 * CPU seconds of this process and its descendants, by program. The time of a process that has ended
 * counts for the program of its parent.
 */
export function secondsByProgram(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const pid of familyOf(process.pid)) {
    const program = programOfProcess(textOf(`/proc/${pid}/cmdline`).split('\0'));
    sums[program] = (sums[program] ?? 0) + ownTicks(pid) / TICKS_PER_SECOND;
  }
  return sums;
}

/** Program of a process, from its command line. For Node it is the script, or the entry point of Millrace. */
export function programOfProcess([command = '', script = '', component = '']: readonly string[]): string {
  const program = basename(command.split(':', 1)[0] ?? '');
  if (program !== 'node') return program;
  return basename(script) === 'millrace.js' ? component : basename(script);
}

/** The process and all its descendants. */
export function familyOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

/** CPU seconds of a process and its descendants, also of children that have ended. */
export const cpuSecondsOf = (pid: number): number => ticksOf(pid) / TICKS_PER_SECOND;

/**
 * Clock ticks of user and system time of a process and its descendants, also of those that have ended and for
 * which their parent has waited.
 */
function ticksOf(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + ownTicks(member), 0);
}

/** The text of a file in `/proc`; empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The sum of `utime`, `stime`, `cutime` and `cstime`: the fields 14 to 17 of proc_pid_stat(5). The last two
 * are of children that have ended. 0 if the process has ended.
 */
function ownTicks(pid: number): number {
  // The second field, a name in parentheses, may contain spaces.
  const fieldsFromThird = textOf(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return fieldsFromThird.slice(14 - 3, 18 - 3).reduce((sum, field) => sum + Number(field), 0);
}

function residentOfFamily(pid: number): number {
  return familyOf(pid)
    .map(residentOf)
    .reduce((sum, resident) => sum + resident, 0);
}

function residentOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}

/** Resident memory of one process without its children in MiB: now, and its peak so far. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, now] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return { now: Number(now) / 1024, peak: Number(peak) / 1024 };
}

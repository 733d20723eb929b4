import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Cost {
  /** Of one core, over the time. */
  cpuPercent: number;
  /** Megabytes at the end, and the most there were. */
  rss: number;
  /** Of that in processes of its own. */
  children: number;
  mostRss: number;
}

const TICKS_PER_SECOND = 100;

/** What a process and its children use of a machine, looked at for that long. */
export async function costOf(pid: number, seconds: number): Promise<Cost> {
  const before = ticksOf(pid);
  const begun = performance.now();
  let mostRss = 0;
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1000);
    mostRss = Math.max(mostRss, rssOf(pid));
  }
  const elapsed = (performance.now() - begun) / 1000;
  const cpuPercent = ((ticksOf(pid) - before) / TICKS_PER_SECOND / elapsed) * 100;
  const rss = rssOf(pid);
  return { cpuPercent, rss, children: rss - residentOf(pid), mostRss };
}

function family(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(family)];
}

/** Seconds of user and system time; of children that have ended too. */
export const cpuSecondsOf = (pid: number): number => ticksOf(pid) / TICKS_PER_SECOND;

/** User and system time; of children that have ended too. */
function ticksOf(pid: number): number {
  return family(pid)
    .map((one) => readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [])
    .reduce((sum, fields) => sum + fields.slice(11, 15).reduce((some, field) => some + Number(field), 0), 0);
}

function rssOf(pid: number): number {
  return family(pid)
    .map(residentOf)
    .reduce((sum, one) => sum + one, 0);
}

function residentOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}

import { cp, glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASE } from '#e2e/support/gateway.ts';
import { folders } from './containers.ts';
import { sleepUnless } from './run-faults.ts';

const EVERY_MS = 5000;
const MAX_SHOWN = 15;
const LOUD = new Set(['warn', 'error', 'fatal']);

/**
 * Copies the logs of Millrace and of the team's Pods while they are there: those of Pods that are replaced go
 * with them, and whoever looks for a cause wants them.
 */
export const keepLogs = async (team: string, folder: string, until: AbortSignal): Promise<void> => {
  const from = join(folders.state, 'pod-logs');
  const filter = (path: string): boolean => {
    const below = path.slice(from.length + 1);
    return below === '' || below.startsWith(`${RELEASE.namespace}_`) || below.startsWith(`${team}_`);
  };
  while (!until.aborted) {
    // A file that goes while it is copied is one that was copied before.
    await cp(from, join(folder, 'pod-logs'), { recursive: true, filter }).catch(() => undefined);
    await sleepUnless(EVERY_MS, until);
  }
};

interface Entry {
  level?: string;
  component?: string;
  time?: string;
  msg?: string;
  err?: { message?: string };
}

const parseEntry = (line: string): Entry | undefined => {
  const start = line.indexOf('{"level"');
  if (start < 0) return undefined;
  try {
    const entry: Entry = JSON.parse(line.slice(start));
    return entry;
  } catch {
    return undefined;
  }
};

const kindOf = ({ level, component, msg, err }: Entry): string =>
  [level, component, msg, err?.message?.replaceAll(/[\d.:]{6,}|[0-9a-f-]{36}/g, '…').slice(0, 140)]
    .filter((part) => part !== undefined)
    .join(' ');

/** What Millrace complained of since then, most often first. Not judged: under faults it has to complain. */
export const complaints = async (folder: string, since: number): Promise<string[]> => {
  const counts = new Map<string, number>();
  for await (const file of glob(`pod-logs/${RELEASE.namespace}_*/*/*.log`, { cwd: folder })) {
    const entries = (await readFile(join(folder, file), 'utf8')).split('\n').map(parseEntry);
    for (const entry of entries) {
      if (entry === undefined || !LOUD.has(entry.level ?? '') || Date.parse(entry.time ?? '') < since)
        continue;
      counts.set(kindOf(entry), (counts.get(kindOf(entry)) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN)
    .map(([kind, count]) => `${String(count).padStart(6)}  ${kind}`);
};

import { cp, glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASE } from '#tools/chart/install.ts';
import { folders } from './containers.ts';
import { sleepUnless } from './run-faults.ts';

const COPY_EVERY_MS = 5000;
const MAX_SHOWN = 15;
const SHOWN_LEVELS = new Set(['warn', 'error', 'fatal']);

/**
 * Copies the logs of Millrace's and the team's Pods while the Pods exist, because logs of replaced Pods
 * disappear.
 */
export const copyLogs = async (team: string, folder: string, until: AbortSignal): Promise<void> => {
  const from = join(folders.state, 'pod-logs');
  const filter = (path: string): boolean => {
    const relativePath = path.slice(from.length + 1);
    return (
      relativePath === '' ||
      relativePath.startsWith(`${RELEASE.namespace}_`) ||
      relativePath.startsWith(`${team}_`)
    );
  };
  while (!until.aborted) {
    // A file that disappears during the copy ends this round. The next round starts over.
    await cp(from, join(folder, 'pod-logs'), { recursive: true, filter }).catch(() => undefined);
    await sleepUnless(COPY_EVERY_MS, until);
  }
};

interface LogEntry {
  level?: string;
  component?: string;
  time?: string;
  msg?: string;
  err?: { message?: string };
}

const parseEntry = (line: string): LogEntry | undefined => {
  const start = line.indexOf('{"level"');
  if (start < 0) return undefined;
  try {
    const entry: LogEntry = JSON.parse(line.slice(start));
    return entry;
  } catch {
    return undefined;
  }
};

const kindOf = ({ level, component, msg, err }: LogEntry): string =>
  [level, component, msg, err?.message?.replaceAll(/[\d.:]{6,}|[0-9a-f-]{36}/g, '…').slice(0, 140)]
    .filter((part) => part !== undefined)
    .join(' ');

/**
 * The most frequent warnings and errors in Millrace's logs since `since`. The run does not judge them,
 * because faults cause warnings.
 */
export const countWarnings = async (folder: string, since: number): Promise<string[]> => {
  const counts = new Map<string, number>();
  for await (const file of glob(`pod-logs/${RELEASE.namespace}_*/*/*.log`, { cwd: folder })) {
    const entries = (await readFile(join(folder, file), 'utf8')).split('\n').map(parseEntry);
    for (const entry of entries) {
      if (entry === undefined || !SHOWN_LEVELS.has(entry.level ?? '') || Date.parse(entry.time ?? '') < since)
        continue;
      counts.set(kindOf(entry), (counts.get(kindOf(entry)) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN)
    .map(([kind, count]) => `${String(count).padStart(6)}  ${kind}`);
};

import { judgeLogs, type LogFill } from '#domain/build/judge-logs.ts';

export interface LogStore {
  /** Bytes that the logs of the team take in the database. Counted from its builds each time, never kept. */
  logBytes(team: string): Promise<number>;
  /**
   * Removes the logs of some of the oldest builds that have ended, as far as newer logs alone take the limit.
   * One bounded transaction; whoever is killed in it finds the rest. Answers how many builds lost their logs:
   * 0 means that nothing more can go.
   */
  removeOldestLogs(team: string, limit: number): Promise<number>;
}

export interface TeamLogs {
  team: string;
  /** Absent: no limit. */
  limit?: number;
}

export interface LogsLimited {
  /** Of each team, before anything was removed. */
  fills: Map<string, LogFill>;
  /** What the logs of all teams take together now. */
  bytes: number;
  /** Builds that lost their logs, by team. */
  removed: Map<string, number>;
  /** Teams that could not be looked at; they are tried again next time. */
  failures: { error: unknown }[];
}

/**
 * Keeps the logs of each team within its limit: its oldest logs go first, never those of another team, and no
 * build fails for it.
 */
export async function limitLogs(teams: readonly TeamLogs[], logs: LogStore): Promise<LogsLimited> {
  const done: LogsLimited = { fills: new Map(), bytes: 0, removed: new Map(), failures: [] };
  for (const one of teams) {
    try {
      await limitOne(one, logs, done);
    } catch (error) {
      done.failures.push({ error });
    }
  }
  return done;
}

async function limitOne({ team, limit }: TeamLogs, logs: LogStore, done: LogsLimited): Promise<void> {
  const before = await logs.logBytes(team);
  const fill = judgeLogs(before, limit);
  done.fills.set(team, fill);
  const removed = fill === 'full' && limit !== undefined ? await removeAll(team, limit, logs) : 0;
  if (removed > 0) done.removed.set(team, removed);
  done.bytes += removed > 0 ? await logs.logBytes(team) : before;
}

async function removeAll(team: string, limit: number, logs: LogStore): Promise<number> {
  let removed = 0;
  for (;;) {
    const some = await logs.removeOldestLogs(team, limit);
    removed += some;
    if (some === 0) return removed;
  }
}

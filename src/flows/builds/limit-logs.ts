import { judgeLogs, type LogFill } from '#domain/build/judge-logs.ts';

export interface LogStore {
  /** Bytes of the team's logs in the database, counted from its builds each time. */
  logBytes(team: string): Promise<number>;
  /**
   * Removes logs of ended builds, the oldest first, while the logs of newer builds alone reach the limit. One
   * bounded, repeatable transaction. Returns how many builds lost their logs. 0: nothing more can be removed.
   */
  removeOldestLogs(team: string, limit: number): Promise<number>;
}

export interface TeamLogs {
  team: string;
  /** Absent: no limit. */
  limit?: number;
}

export interface LogsLimited {
  /** By team, before anything was removed. */
  fills: Map<string, LogFill>;
  /** Size of all logs after the removal. */
  bytes: number;
  /** Builds that lost their logs, by team. */
  removed: Map<string, number>;
  /** Errors of single teams. They are tried again next time. */
  failures: { error: unknown }[];
}

/**
 * Keeps the logs of each team within its limit by removing the team's oldest logs. No build fails because of
 * this.
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
    const count = await logs.removeOldestLogs(team, limit);
    removed += count;
    if (count === 0) return removed;
  }
}

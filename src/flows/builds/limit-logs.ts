import { judgeLogs, type LogFill } from '#domain/build/judge-logs.ts';

export interface LogStore {
  /** Bytes of the team's logs in the database. Each call reads every build of the team that has logs. */
  logBytes(team: string): Promise<number>;
  /**
   * Keeps the newest logs of the team that fit the limit together, and removes older logs of ended builds,
   * the oldest first. One call is one transaction that removes only some logs: call it until it returns 0.
   * Returns how many builds lost their logs.
   */
  removeOldestLogs(team: string, limit: number): Promise<number>;
}

export interface TeamLogs {
  team: string;
  /** Absent: no limit. */
  limit?: number;
}

export interface LogsLimited {
  /** How full each team's logs were before the removal. */
  fills: Map<string, LogFill>;
  /** Bytes of the logs of all these teams after the removal, without the teams in `failures`. */
  bytes: number;
  /** Builds that lost their logs, by team. */
  removed: Map<string, number>;
  /** Errors of single teams. The next call tries these teams again. */
  failures: { error: unknown }[];
}

/** Removes the oldest logs of each team that exceeds its limit. No build fails because of this. */
export async function limitLogs(teams: readonly TeamLogs[], logs: LogStore): Promise<LogsLimited> {
  const limited: LogsLimited = { fills: new Map(), bytes: 0, removed: new Map(), failures: [] };
  for (const { team, limit } of teams) {
    try {
      const { fill, removed, bytes } = await limitTeam(team, limit, logs);
      limited.fills.set(team, fill);
      if (removed > 0) limited.removed.set(team, removed);
      limited.bytes += bytes;
    } catch (error) {
      limited.failures.push({ error });
    }
  }
  return limited;
}

async function limitTeam(
  team: string,
  limit: number | undefined,
  logs: LogStore,
): Promise<{ fill: LogFill; removed: number; bytes: number }> {
  const before = await logs.logBytes(team);
  const fill = judgeLogs(before, limit);
  const removed = fill === 'full' && limit !== undefined ? await removeUntilBelow(team, limit, logs) : 0;
  return { fill, removed, bytes: removed > 0 ? await logs.logBytes(team) : before };
}

async function removeUntilBelow(team: string, limit: number, logs: LogStore): Promise<number> {
  let removed = 0;
  for (;;) {
    const count = await logs.removeOldestLogs(team, limit);
    removed += count;
    if (count === 0) return removed;
  }
}

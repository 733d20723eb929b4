import { setTimeout as sleep } from 'node:timers/promises';
import { FINAL_STATUSES } from './check/evidence.ts';
import { lastArrives, versionsAreFound } from './check/versions.ts';
import { podsOf } from './containers.ts';
import type { SoakHistory } from './history.ts';
import { readDatabase, type DatabaseContents } from './read-database.ts';

/** How long after the last fault all builds may take to end. */
const SETTLE_SECONDS = 240;
const PODS_SECONDS = 120;

/** Repeats `done` until it returns true or the time is over; an error counts as false. */
const repeatUntil = async (seconds: number, done: () => Promise<boolean>): Promise<boolean> => {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await done().catch(() => false)) return true;
    await sleep(2000);
  }
  return false;
};

/**
 * Waits until every published version is found, the last one has reached the end of its chain, no job waits
 * for a decision, and all builds have ended. False after `SETTLE_SECONDS`.
 */
export const waitForBuilds = (team: string, history: SoakHistory): Promise<boolean> =>
  repeatUntil(SETTLE_SECONDS, async () => {
    const database: DatabaseContents = { ...(await readDatabase(team)), logs: [] };
    const evidence = { history, database, shown: [], leftPods: [] };
    const settled = [versionsAreFound, lastArrives].every((rule) => rule(evidence).violations.length === 0);
    return (
      settled &&
      database.waitingJobs.length === 0 &&
      database.builds.every(({ status }) => FINAL_STATUSES.has(status))
    );
  });

/**
 * Waits at most `PODS_SECONDS` until nothing is left to do and no Pod of the team exists; returns the
 * remaining Pods.
 */
export const waitUntilIdle = async (team: string): Promise<string[]> => {
  await repeatUntil(PODS_SECONDS, async () => {
    const { openRuns, waitingJobs } = await readDatabase(team);
    return openRuns === 0 && waitingJobs.length === 0 && (await podsOf(team)).length === 0;
  });
  return (await podsOf(team)).map(({ name, phase }) => `${name} (${phase})`);
};

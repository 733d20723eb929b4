import { setTimeout as sleep } from 'node:timers/promises';
import { FINAL } from './check/evidence.ts';
import { lastArrives, versionsAreFound } from './check/versions.ts';
import { podsOf } from './containers.ts';
import type { History } from './history.ts';
import { readDatabase, type Database } from './truth.ts';

/** The bound of I2: once faults stop, everything that must happen does within this time. */
const SETTLE_SECONDS = 240;
const PODS_SECONDS = 120;

/** Repeats until it answers yes or the time is over; an error is a no. */
const until = async (seconds: number, done: () => Promise<boolean>): Promise<boolean> => {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await done().catch(() => false)) return true;
    await sleep(2000);
  }
  return false;
};

/** Everything that was found is built, to the end of the chain. */
export const waitForBuilds = (team: string, history: History): Promise<boolean> =>
  until(SETTLE_SECONDS, async () => {
    const database: Database = { ...(await readDatabase(team)), logs: [] };
    const evidence = { history, database, shown: [], leftPods: [] };
    const settled = [versionsAreFound, lastArrives].every((rule) => rule(evidence).violations.length === 0);
    return (
      settled && database.waitingJobs.length === 0 && database.builds.every(({ status }) => FINAL.has(status))
    );
  });

/**
 * Nothing is left to do, and no Pod of the team is left, not even one that ends; answers the names of those
 * that are.
 */
export const waitForRest = async (team: string): Promise<string[]> => {
  await until(PODS_SECONDS, async () => {
    const { openRuns, waitingJobs } = await readDatabase(team);
    return openRuns === 0 && waitingJobs.length === 0 && (await podsOf(team)).length === 0;
  });
  return (await podsOf(team)).map(({ name, phase }) => `${name} (${phase})`);
};

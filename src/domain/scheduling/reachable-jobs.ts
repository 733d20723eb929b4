/** Jobs and their gets, in the order of the file. */
export interface WalkedJob {
  name: string;
  gets: readonly { resource: string; trigger: boolean; passed: readonly string[] }[];
}

/**
 * Jobs that a new version of a resource may come to, nearest first: those that it triggers, then along
 * `passed`. Whether any of them will ever run means nothing: their `on_trigger` hooks tell the world that
 * they may.
 */
export function reachableJobs(jobs: readonly WalkedJob[], resource: string): string[] {
  const direct = jobs.filter(({ gets }) =>
    gets.some((get) => get.trigger && get.passed.length === 0 && get.resource === resource),
  );
  const reached = new Set(direct.map(({ name }) => name));
  for (const name of reached)
    for (const job of jobs) if (job.gets.some(({ passed }) => passed.includes(name))) reached.add(job.name);
  return [...reached];
}

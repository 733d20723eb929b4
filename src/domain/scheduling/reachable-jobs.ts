export interface JobWithGets {
  name: string;
  gets: readonly { resource: string; trigger: boolean; passed: readonly string[] }[];
}

/**
 * Jobs that a new version of a resource could reach, nearest first: those that it triggers, then all jobs
 * downstream of them. A job counts as downstream if a get of any resource names the upstream job in `passed`.
 * It does not matter whether the jobs will ever run.
 */
export function reachableJobs(jobs: readonly JobWithGets[], resource: string): string[] {
  const direct = jobs.filter(({ gets }) =>
    gets.some((get) => get.trigger && get.passed.length === 0 && get.resource === resource),
  );
  const reached = new Set(direct.map(({ name }) => name));
  // The loop also visits the jobs that it adds to the set.
  for (const upstream of reached) {
    const downstream = jobs.filter(({ gets }) => gets.some(({ passed }) => passed.includes(upstream)));
    for (const { name } of downstream) reached.add(name);
  }
  return [...reached];
}

import type { History } from './history.ts';

/** Renames a job or a resource, which then also has its old name, as in a definition with `old_name`. */
export function rename({ jobs, resources }: History, old: string, name: string): void {
  for (const jobOrResource of [...jobs, ...resources])
    if (jobOrResource.name === old) Object.assign(jobOrResource, { name, oldName: old });
}

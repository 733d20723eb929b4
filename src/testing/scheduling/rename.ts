import type { History } from './history.ts';

/** Renames a job or a resource, which names its old name. Nothing else changes. */
export function rename({ jobs, resources }: History, old: string, name: string): void {
  for (const one of [...jobs, ...resources]) if (one.name === old) Object.assign(one, { name, oldName: old });
}

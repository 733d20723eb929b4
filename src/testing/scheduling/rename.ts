import type { History } from './history.ts';

/** The job or resource has another name from now on, and says its old one. Nothing else changes. */
export function rename({ jobs, resources }: History, old: string, name: string): void {
  for (const one of [...jobs, ...resources]) if (one.name === old) Object.assign(one, { name, oldName: old });
}

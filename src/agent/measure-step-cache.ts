import { measureFolder } from '#adapters/process/measure-folder.ts';
import type { PlanStep } from '#domain/planning/plan.ts';

/** The size of the step's cache in bytes, or undefined if the step has no cache. */
export async function measureStepCache({ kind, env, cache }: PlanStep): Promise<number | undefined> {
  const folder = env['CACHE_DIR'];
  // A task without a cache may have its own variable with the name `CACHE_DIR`.
  const hasCache = kind === 'get' || kind === 'put' || cache !== undefined;
  return folder !== undefined && hasCache ? await measureFolder(folder) : undefined;
}

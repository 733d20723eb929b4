import type { HookResult } from './agent-protocol.ts';

/** In a sentence, what went wrong with hooks; undefined when all of them succeeded. */
export function tellHooks(results: readonly HookResult[]): string | undefined {
  const failed = results.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (first === undefined) return undefined;
  const { hook, job, version, error } = first;
  const more = failed.length === 1 ? '' : ` ${failed.length} of ${results.length} hooks failed.`;
  return `The hook ${hook} of job ${job} failed for version ${version}: ${error}${more}`;
}

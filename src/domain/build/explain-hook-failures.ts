import type { HookResult } from './agent-protocol.ts';

/** Describes the failed hooks in a sentence. Undefined: all succeeded. */
export function explainHookFailures(results: readonly HookResult[]): string | undefined {
  const failed = results.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (first === undefined) return undefined;
  const { hook, job, version, error } = first;
  const more = failed.length === 1 ? '' : ` ${failed.length} of ${results.length} hooks failed.`;
  return `The hook ${hook} of job ${job} failed for version ${version}: ${error}${more}`;
}

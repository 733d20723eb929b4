import type { HookResult } from './agent-protocol.ts';

/** The `hook` of the one result that represents all hooks that were not run. Its `error` is a sentence. */
export const FURTHER_HOOKS = 'further hooks';

/** Describes the hooks that failed or were not run. Undefined: all hooks succeeded. */
export function explainHookFailures(results: readonly HookResult[]): string | undefined {
  const run = results.filter(({ hook }) => hook !== FURTHER_HOOKS);
  const leftOut = results.filter(({ hook }) => hook === FURTHER_HOOKS);
  const sentences = [explainFailed(run), ...leftOut.map(({ error }) => error)];
  const explanation = sentences.filter((sentence) => sentence !== undefined).join(' ');
  return explanation === '' ? undefined : explanation;
}

function explainFailed(results: readonly HookResult[]): string | undefined {
  const failed = results.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (first === undefined) return undefined;
  const { hook, job, version, error } = first;
  const more = failed.length === 1 ? '' : ` ${failed.length} of ${results.length} hooks failed.`;
  return `The hook ${hook} of job ${job} failed for version ${version}: ${error}${more}`;
}

import { expandMessage } from '#domain/build/expand-message.ts';
import { expandValues } from '#domain/build/expand-references.ts';
import type { PlanStep } from '#domain/planning/plan.ts';

export interface KnownVariables {
  /** Variables that earlier steps exported. */
  exports: Record<string, string>;
  /** Variables beyond those of the step, such as `BUILD_STATUS` in hooks. */
  variables?: Record<string, string>;
  /**
   * Returns the variables that only notifications see: the end of the log, and the errors of compilers in it.
   */
  digest?: () => Record<string, string>;
}

/**
 * The variables that the command of a step sees. The variables of the step override the exports of earlier
 * steps, and `variables` override both. The params of a put (also in its hooks), the key of a cache and the
 * message of a notification may refer to all of them. The program of a resource type of Concourse sees only
 * the variables of its step.
 */
export function environmentOf(
  { env, kind, message, call, cache }: PlanStep,
  { exports, variables, digest }: KnownVariables,
): Record<string, string> {
  if (call !== undefined) return env;
  const known = { ...exports, ...env, ...variables };
  const isTemplate = (name: string): boolean =>
    name.startsWith('put_') || (cache !== undefined && name === 'cache_key');
  const templates = Object.entries(env).filter(([name]) => isTemplate(name));
  const filled = { ...known, ...expandValues(Object.fromEntries(templates), known) };
  if (kind !== 'notify') return filled;
  const withDigest = { ...filled, ...digest?.() };
  if (message === undefined || message === '') return withDigest;
  return { ...withDigest, NOTIFY_MESSAGE: expandMessage(message, filled), NOTIFY_TEMPLATE: message };
}

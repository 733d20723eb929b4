import { expandMessage } from '#domain/build/expand-message.ts';
import { expandValues } from '#domain/build/expand-references.ts';
import type { PlanStep } from '#domain/planning/plan.ts';

export interface KnownVariables {
  /** What earlier steps exported. */
  exports: Record<string, string>;
  /** Beyond those of the step: `BUILD_STATUS` in hooks. */
  variables?: Record<string, string>;
  /** What only notifications see: the end of the log, and the errors of compilers in it. */
  digest?: () => Record<string, string>;
}

/**
 * Exports of earlier steps, then the step's own variables. The params of a put may refer to all of them, also
 * in its hooks, and so may the key of a cache and the message of a notification. The program of a type with a
 * protocol has only those of the protocol.
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
  const seen = { ...filled, ...digest?.() };
  if (message === undefined || message === '') return seen;
  return { ...seen, NOTIFY_MESSAGE: expandMessage(message, filled), NOTIFY_TEMPLATE: message };
}

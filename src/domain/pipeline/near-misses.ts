import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Parameter } from '#domain/language/read-block.ts';
import { closestName, didYouMean } from '#domain/language/suggest.ts';
import { builtInSource } from './built-in-source.ts';
import type { Origin } from './pipeline.ts';
import { findSecretNames } from './secret-placeholder.ts';

/** The type of the resource or notification that a step names. */
interface StepType {
  params: readonly string[];
  builtIn: boolean;
  origin?: Origin;
}

/**
 * Warns about parameters of a step whose names are almost those of its attributes. A step accepts parameters
 * of any name, so a misspelt attribute would have no effect.
 */
export function warnOfNearMisses(
  parameters: readonly Parameter[],
  attributes: readonly string[],
  type: StepType | undefined,
  report: Report,
): void {
  const known = new Set([...attributes, ...(type?.params ?? [])]);
  for (const { name, nameRange } of parameters) {
    const meant = known.has(name) ? undefined : closestName(name, attributes);
    if (meant === undefined) continue;
    const message = `"${name}" is passed on as a parameter; did you mean the attribute "${meant}"?`;
    report(diagnose('near-miss', nameRange, message));
  }
}

/**
 * Source of the type that reports check runs to a forge: a notification type, and in its older form a
 * resource type.
 */
export const CHECK_RUN_SOURCE = 'svc://hostcheck';

/** The values that the API of check runs accepts. */
const CHECK_RUN_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['status', ['queued', 'in_progress', 'completed']],
  [
    'conclusion',
    ['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required', 'stale'],
  ],
]);

/** Warns about a status or conclusion of a check run that the forge does not know. */
export function warnOfCheckRunValues(
  parameters: readonly Parameter[],
  type: StepType | undefined,
  report: Report,
): void {
  if (!type || builtInSource(type) !== CHECK_RUN_SOURCE) return;
  for (const { name, text, range } of parameters) {
    const values = CHECK_RUN_VALUES.get(name);
    if (!values || values.includes(text) || text === '' || findSecretNames(text).length > 0) continue;
    const message = `check runs have no ${name} ${JSON.stringify(text)}${didYouMean(text, values)}`;
    report(diagnose('check-run-value', range, message, `Write one of ${values.join(', ')}.`));
  }
}

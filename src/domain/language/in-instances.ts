import { diagnose, renderDiagnostic, type Diagnostic, type Report } from './diagnostic.ts';

/** An instance of a group, for messages. */
export interface InstanceName {
  name: string;
  key: string;
  /** How many instances the group has. */
  groupSize: number;
}

/** Returns a `Report` that adds the instance to each diagnostic. `instance` undefined: returns `report`. */
export function reportForInstance(report: Report, instance: InstanceName | undefined): Report {
  if (!instance) return report;
  return (diagnostic) => report({ ...diagnostic, instance });
}

/**
 * Adds `values` and `instance` of the diagnostics to their messages. Diagnostics that differ only in these
 * two become one. If not every instance of the group has the problem, the message names the first instance
 * that has it, and says how many more do. If every instance has it, but with different values, the message
 * has no values.
 */
export function completeMessages(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = Map.groupBy(
    diagnostics,
    (diagnostic) => `${diagnostic.code} ${renderDiagnostic(diagnostic)}`,
  );
  return [...groups.values()].flatMap((similar) => {
    const [first] = similar;
    return first ? [completeMessage(first, similar)] : [];
  });
}

function completeMessage(first: Diagnostic, similar: readonly Diagnostic[]): Diagnostic {
  const { instance, values, ...diagnostic } = first;
  const instances = similar.flatMap((other) => other.instance ?? []);
  const affected = new Set(instances.map(({ name }) => name)).size;
  const isEverywhere = !instance || instances.length < similar.length || affected >= instance.groupSize;
  const instanceSuffix = isEverywhere ? '' : ` (in ${describe(instance, affected)})`;
  const showsValues = !isEverywhere || similar.every((other) => other.values === values);
  const valuesSuffix = values !== undefined && showsValues ? `; ${values}` : '';
  if (instanceSuffix === '' && valuesSuffix === '') return diagnostic;
  const text = `${diagnostic.message}${valuesSuffix}${instanceSuffix}`;
  const { message } = diagnose(diagnostic.code, undefined, text);
  return { ...diagnostic, message };
}

const MAX_KEY_LENGTH = 60;

function describe({ name, key, groupSize }: InstanceName, affected: number): string {
  const cut = key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key;
  const first = `${name}, each.key = ${JSON.stringify(cut)}`;
  return affected === 1 ? first : `${first}, and ${affected - 1} more of ${groupSize} instances`;
}

import { diagnose, renderDiagnostic, type Diagnostic, type Report } from './diagnostic.ts';

/** An instance of a group, for messages. */
export interface InstanceName {
  name: string;
  key: string;
  /** Number of instances of the group. */
  of: number;
}

/** Returns a report function that marks diagnostics with the instance, if there is one. */
export function reportForInstance(report: Report, instance: InstanceName | undefined): Report {
  if (!instance) return report;
  return (diagnostic) => report({ ...diagnostic, instance });
}

/**
 * Puts into the messages what they were noted with: values of names, and the instance. What is wrong in every
 * instance of a group is said once; what some have, once with the first of them.
 */
export function completeMessages(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const same = Map.groupBy(diagnostics, (diagnostic) => `${diagnostic.code} ${renderDiagnostic(diagnostic)}`);
  return [...same.values()].flatMap((all) => {
    const [first] = all;
    return first ? [completeMessage(first, all)] : [];
  });
}

function completeMessage(first: Diagnostic, all: readonly Diagnostic[]): Diagnostic {
  const { instance, values, ...described } = first;
  const named = all.flatMap((one) => one.instance ?? []);
  const known = new Map(named.map((one) => [one.name, one]));
  const everywhere = !instance || named.length < all.length || known.size >= instance.of;
  const where = everywhere ? '' : ` (in ${describe(instance, known.size)})`;
  const shared = !everywhere || all.every((one) => one.values === values);
  const beside = values !== undefined && shared ? `; ${values}` : '';
  if (where === '' && beside === '') return described;
  const { message } = diagnose(described.code, undefined, `${described.message}${beside}${where}`);
  return { ...described, message };
}

const MAX_KEY_LENGTH = 60;

function describe({ name, key, of }: InstanceName, affected: number): string {
  const cut = key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key;
  const first = `${name}, each.key = ${JSON.stringify(cut)}`;
  return affected === 1 ? first : `${first}, and ${affected - 1} more of ${of} instances`;
}

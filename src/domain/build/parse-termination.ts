import type { TerminationMessage } from './events.ts';

const OUTCOMES: readonly unknown[] = ['succeeded', 'failed', 'cancelled'];
const STATUSES: readonly unknown[] = ['failed', 'cancelled', 'skipped'];

/**
 * The termination message of an agent. Undefined: the text was cut, has another format, or another program
 * wrote it.
 */
export function parseTermination(text: string | undefined): TerminationMessage | undefined {
  if (text === undefined || !text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isTermination(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type UncheckedTermination = Partial<Record<keyof TerminationMessage, unknown>>;

function isTermination(value: unknown): value is TerminationMessage {
  return typeof value === 'object' && value !== null && hasBuildFields(value) && hasStepFields(value);
}

function hasBuildFields({ format, outcome, reason, message, acknowledged }: UncheckedTermination): boolean {
  return (
    format === 1 &&
    OUTCOMES.includes(outcome) &&
    typeof reason === 'string' &&
    typeof message === 'string' &&
    typeof acknowledged === 'number'
  );
}

/** Whether the fields about steps are valid. Older agents report only `exits`. */
function hasStepFields({ exits, statuses = {}, versions = {} }: UncheckedTermination): boolean {
  return (
    isMap(exits, (exit) => exit === null || typeof exit === 'number') &&
    isMap(statuses, (status) => STATUSES.includes(status)) &&
    isMap(versions, (version) => isMap(version, (field) => typeof field === 'string'))
  );
}

function isMap(value: unknown, isValid: (entry: unknown) => boolean): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isValid)
  );
}

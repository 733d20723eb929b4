import { variablePart } from '#domain/planning/environment-names.ts';
import { utf8Length } from '#domain/utf8-length.ts';

/**
 * Limit for an environment variable, including its name and `=`. Linux does not start a program with a longer
 * variable, so no later step or hook could run.
 */
const MAX_VARIABLE_BYTES = 128 * 1024 - 1;

export interface TaskOutput {
  /** Environment variables for later steps. */
  exports: Record<string, string>;
  /** A message for each line that is ignored although it is neither empty nor a comment. */
  warnings: string[];
  /** Why one of the values cannot be an environment variable. Absent: all values can. */
  problem?: string;
}

/**
 * Parses what a task wrote to `$SVC_OUTPUT`: lines `KEY=VALUE`, split at the first `=`. Empty lines and lines
 * that start with `#` are ignored. If a key occurs twice, the last line counts. `prefix`: start of the names
 * of the variables.
 */
export function parseOutput(prefix: string, text: string): TaskOutput {
  const output: TaskOutput = { exports: {}, warnings: [] };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const separator = line.indexOf('=');
    const key = line.slice(0, Math.max(separator, 0)).trim();
    if (key === '') output.warnings.push(`$SVC_OUTPUT: line ${index + 1} is not KEY=VALUE, so it is ignored`);
    else output.exports[prefix + variablePart(key)] = line.slice(separator + 1);
  }
  const problem = Object.entries(output.exports).map(whyNotAVariable).find(Boolean);
  return { ...output, ...(problem !== undefined && { problem }) };
}

function whyNotAVariable([name, value]: [string, string]): string | undefined {
  if (value.includes('\0')) return `$SVC_OUTPUT: the value of $${name} has a NUL byte`;
  const bytes = utf8Length(`${name}=${value}`);
  if (bytes <= MAX_VARIABLE_BYTES) return undefined;
  return `$SVC_OUTPUT: $${name} would have ${bytes} bytes; a variable has at most ${MAX_VARIABLE_BYTES}`;
}

/** The fields of a version as environment variables for later steps. `prefix`: start of their names. */
export function exportVersion(prefix: string, version: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(version).map(([key, value]) => [prefix + variablePart(key), value]),
  );
}

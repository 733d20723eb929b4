/**
 * A part of a variable's name as `GET_<NAME>_<KEY>` and `TASK_<STEP>_<KEY>` spell it: upper case, all else
 * `_`.
 */
export function variablePart(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

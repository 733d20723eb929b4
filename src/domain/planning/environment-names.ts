/** A part of a variable name such as `GET_<NAME>_<KEY>`: upper case, with `_` for other characters. */
export function variablePart(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

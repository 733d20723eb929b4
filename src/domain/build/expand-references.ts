/**
 * Matches references to variables of the build. References to other names, such as variables of a shell, stay
 * as written.
 */
const REFERENCE = /\$(?:\{((?:BUILD|GET|TASK)_[A-Z0-9_]+)\}|((?:BUILD|GET|TASK)_[A-Z0-9_]+))/g;

/**
 * Replaces `$NAME` and `${NAME}` by variables of the build: `BUILD_*`, versions of gets (`GET_<STEP>_<KEY>`)
 * and outputs of tasks (`TASK_<STEP>_<KEY>`). Names that are not set stay as written. Values are not expanded
 * again.
 */
export function expandReferences(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(REFERENCE, (written: string, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? written) : written;
  });
}

/** Expands the references in every value of a record. */
export function expandValues(
  values: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, expandReferences(value, variables)]),
  );
}

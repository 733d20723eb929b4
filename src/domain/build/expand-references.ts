/**
 * Names that text may refer to at run time; a shell's own variables and anything else stay as they are
 * written.
 */
const REFERENCE = /\$(?:\{((?:BUILD|GET|TASK)_[A-Z0-9_]+)\}|((?:BUILD|GET|TASK)_[A-Z0-9_]+))/g;

/**
 * Replaces `$NAME` and `${NAME}` by the variables of the build: `BUILD_*`, the values of gets
 * (`GET_<STEP>_<KEY>`) and what tasks wrote (`TASK_<STEP>_<KEY>`). A name that is not set stays as written,
 * so that it shows. Values are not expanded again.
 */
export function expandReferences(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(REFERENCE, (written: string, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? written) : written;
  });
}

/** The same for every value of a record. */
export function expandValues(
  values: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, expandReferences(value, variables)]),
  );
}

const REFERENCE = /\$(?:\{(\w+)\}|(\w+))/g;

/** `$<name>` and `${<name>}` become their values. Unset names stay as written. */
export function fillTemplate(template: string, values: ReadonlyMap<string, string>): string {
  return template.replaceAll(
    REFERENCE,
    (written, braced: string | undefined, bare: string | undefined) =>
      values.get(braced ?? bare ?? '') ?? written,
  );
}

/** Names that the templates refer to, each once. */
export function namesInTemplates(templates: readonly string[]): Set<string> {
  const references = templates.flatMap((template) => [...template.matchAll(REFERENCE)]);
  return new Set(references.map(([, braced, bare]) => braced ?? bare ?? ''));
}

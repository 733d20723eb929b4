/** Reads `name=value` lines. Empty lines are ignored, and so are spaces around lines, names and values. */
export function parseFields(text: string): { fields: Record<string, string> } | { problem: string } {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const equalsSign = line.indexOf('=');
    const name = line.slice(0, Math.max(equalsSign, 0)).trim();
    if (name === '') return { problem: `"${line.trim()}" is not of the form name=value.` };
    if (fields.has(name)) return { problem: `The field "${name}" is given twice. Remove one.` };
    fields.set(name, line.slice(equalsSign + 1).trim());
  }
  return { fields: Object.fromEntries(fields) };
}

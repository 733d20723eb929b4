/** Reads `name=value` lines. Empty lines count for nothing; spaces around a line and a name neither. */
export function parseFields(text: string): { fields: Record<string, string> } | { problem: string } {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '') return { problem: `"${line.trim()}" has no name. Write name=value.` };
    if (fields.has(name)) return { problem: `The field "${name}" is there twice. Remove one.` };
    fields.set(name, line.slice(at + 1).trim());
  }
  return { fields: Object.fromEntries(fields) };
}

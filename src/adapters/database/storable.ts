/** Postgres refuses NUL and half surrogates in text; whatever a program printed must not be able to stop its own report. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

export function storableFields(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [storable(name), storable(value)]));
}

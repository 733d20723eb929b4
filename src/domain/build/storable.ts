/** Replaces characters that programs may print but Postgres refuses: U+0000 and lone surrogates. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function storableFields(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [storable(name), storable(value)]));
}

/**
 * Text that every store takes: databases refuse U+0000 and half a surrogate pair, and programs print both.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function storableFields(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [storable(name), storable(value)]));
}

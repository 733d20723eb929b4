/**
 * Removes the fields that are undefined, as `exactOptionalPropertyTypes` requires: `{ a, ...defined({ b }) }`.
 * Not for hot paths: it copies the object.
 */
export function defined<T extends object>(
  object: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
} {
  const entries: unknown[][] = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

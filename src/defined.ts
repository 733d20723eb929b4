/**
 * Removes the fields that are undefined, because `exactOptionalPropertyTypes` forbids them. It copies the
 * object, so do not use it in hot paths. Example: `{ a, ...defined({ b }) }`.
 */
export function defined<T extends object>(
  object: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
} {
  const entries: unknown[][] = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/**
 * Removes the fields that are undefined, because `exactOptionalPropertyTypes` forbids them. Use it as in `{
 * a, ...defined({ b }) }`, but not in hot paths: it copies the object.
 */
export function defined<T extends object>(
  object: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
} {
  const entries: unknown[][] = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

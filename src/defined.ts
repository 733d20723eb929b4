/** The object without the fields whose value is undefined: what exact optional properties ask for. */
export function defined<T extends object>(
  object: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
} {
  const entries: unknown[][] = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

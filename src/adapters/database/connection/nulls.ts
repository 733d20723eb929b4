type WithoutNulls<T> = { [Key in keyof T as null extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as null extends T[Key] ? Key : never]?: NonNullable<T[Key]>;
};

/** Returns the row without the columns that are null, for types whose fields are absent instead. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T>;
export function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

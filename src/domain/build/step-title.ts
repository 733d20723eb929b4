/** Kinds of steps whose name already says the kind, such as `in_parallel`. */
const NAMED_BY_THEMSELVES: ReadonlySet<string> = new Set(['command', 'parallel']);

/** What people call a step: `task unit`, `in_parallel`. */
export function stepTitle({ kind, name }: { kind: string; name: string }): string {
  return NAMED_BY_THEMSELVES.has(kind) ? name : `${kind} ${name}`;
}

import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';

/** A job or resource with an `old_name`, and the range of that name in the text. */
export interface Renamed {
  name: string;
  old: LocatedString;
  report: Report;
}

/** Reports old names that two blocks claim, or that a job or resource still has. */
export function checkOldNames(
  noun: 'job' | 'resource',
  renamed: readonly Renamed[],
  isKnown: (name: string) => boolean,
): void {
  const taken = new Map<string, string>();
  for (const { name, old, report } of renamed) {
    const other = taken.get(old.text);
    taken.set(old.text, other ?? name);
    const message = whyInUse(noun, { name, old: old.text, other }, isKnown);
    if (message !== undefined) report(diagnose('old-name-in-use', old.range, message));
  }
}

function whyInUse(
  noun: string,
  { name, old, other }: { name: string; old: string; other: string | undefined },
  isKnown: (name: string) => boolean,
): string | undefined {
  if (old === name) return `old_name is the name that the ${noun} has now`;
  if (isKnown(old)) return `the pipeline still has a ${noun} "${old}"`;
  return other === undefined ? undefined : `the ${noun} "${other}" has the old name "${old}" as well`;
}

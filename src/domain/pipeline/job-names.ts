import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import { canonicalName } from './instances.ts';

/**
 * Names by which jobs are called in `passed`, `jobs` and `exclude`: their own, and those of groups for all
 * instances.
 */
export interface JobNames {
  all: string[];
  /** Canonical names, each once; what is unknown is reported. */
  expand: (names: readonly LocatedString[], report: Report) => string[];
}

export function jobNames(
  jobs: readonly string[],
  groups: ReadonlyMap<string, readonly string[]>,
  /** A job could not be read: names may only seem unknown. */
  incomplete: boolean,
): JobNames {
  const known = new Set(jobs);
  const expandOne = ({ text, range }: LocatedString, report: Report): readonly string[] => {
    const name = canonicalName(text, (one) => known.has(one));
    if (known.has(name)) return [name];
    const instances = groups.get(text);
    if (instances && instances.length > 0) return instances;
    if (incomplete) return [];
    if (instances) {
      const message = `the group "${text}" has no jobs: its for_each or matrix is empty`;
      report(diagnose('unknown-job', range, message, 'Give it elements, or remove the name here.'));
    } else report(diagnose('unknown-job', range, sayUnknown(text, known, groups)));
    return [];
  };
  return {
    all: [...jobs],
    expand: (names, report) => [...new Set(names.flatMap((name) => expandOne(name, report)))],
  };
}

function sayUnknown(
  name: string,
  jobs: ReadonlySet<string>,
  groups: ReadonlyMap<string, readonly string[]>,
): string {
  const [group = ''] = name.split('--');
  const instances = groups.get(group);
  if (instances && name !== group)
    return `the group "${group}" has no instance "${name}"${didYouMean(name, instances)}`;
  return `there is no job "${name}"${didYouMean(name, [...jobs, ...groups.keys()])}`;
}

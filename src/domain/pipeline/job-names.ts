import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import { canonicalName } from './instances.ts';

/**
 * The names that `passed`, `jobs` and `exclude` can use: those of jobs, and those of groups, which mean all
 * instances of the group.
 */
export interface JobNames {
  /** The names of all jobs. */
  all: string[];
  /**
   * Replaces groups by their instances. Returns canonical names without duplicates, and reports unknown
   * names.
   */
  expand: (names: readonly LocatedString[], report: Report) => string[];
}

export function jobNames(
  jobs: readonly string[],
  groups: ReadonlyMap<string, readonly string[]>,
  /** A job could not be read. A name that seems unknown may be that of this job, so it is not reported. */
  incomplete: boolean,
): JobNames {
  const known = new Set(jobs);
  const expandName = ({ text, range }: LocatedString, report: Report): readonly string[] => {
    const name = canonicalName(text, (candidate) => known.has(candidate));
    if (known.has(name)) return [name];
    const instances = groups.get(text);
    if (instances && instances.length > 0) return instances;
    if (incomplete) return [];
    if (instances) {
      const message = `the group "${text}" has no jobs: its for_each or matrix is empty`;
      report(diagnose('unknown-job', range, message, 'Give it elements, or remove the name here.'));
    } else report(diagnose('unknown-job', range, explainUnknownJob(text, known, groups)));
    return [];
  };
  return {
    all: [...jobs],
    expand: (names, report) => [...new Set(names.flatMap((name) => expandName(name, report)))],
  };
}

function explainUnknownJob(
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

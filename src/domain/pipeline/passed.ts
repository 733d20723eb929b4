import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { JobNames } from './job-names.ts';
import type { JobDraft } from './jobs.ts';
import { actionsOf, hookActionsOf } from './steps.ts';

/**
 * Resolves the names in `passed` and expands groups. Each job must exist, use the resource, and not wait for
 * the job that names it.
 */
export function resolvePassed(drafts: readonly JobDraft[], names: JobNames, report: Report): void {
  const jobs = new Map(drafts.map((draft) => [draft.job.name, draft]));
  const waitsFor = new Map<string, LocatedString[]>();
  for (const { job, gets, report: reportInJob } of drafts) {
    for (const { step, passed } of gets) {
      const upstream = passed.flatMap((name) =>
        names.expand([name], reportInJob).map((text): LocatedString => ({ text, range: name.range })),
      );
      step.passed = [...new Set(upstream.map(({ text }) => text))];
      waitsFor.set(job.name, [...(waitsFor.get(job.name) ?? []), ...upstream]);
      for (const name of upstream) checkUse(name, step.resource, jobs.get(name.text), reportInJob);
    }
  }
  reportCycles([...jobs.keys()], waitsFor, report);
}

function checkUse(
  { text, range }: LocatedString,
  resource: string,
  upstream: JobDraft | undefined,
  report: Report,
): void {
  if (!upstream || upstream.incomplete) return;
  const actions = [...actionsOf(upstream.job.steps), ...hookActionsOf(upstream.job)];
  if (actions.some((action) => 'resource' in action && action.resource === resource)) return;
  const message = `this can never be satisfied: the job "${text}" neither gets nor puts ${resource}`;
  report(diagnose('passed-never', range, message));
}

/** Reports a cycle at each entry that closes one. */
function reportCycles(
  names: readonly string[],
  waitsFor: ReadonlyMap<string, LocatedString[]>,
  report: Report,
): void {
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): void => {
    path.push(name);
    for (const { text, range } of waitsFor.get(name) ?? []) {
      const start = path.indexOf(text);
      if (start >= 0) {
        const cycle = [...path.slice(start), text].join(' → ');
        report(diagnose('passed-cycle', range, `jobs wait for each other in a cycle: ${cycle}`));
      } else if (!finished.has(text)) visit(text);
    }
    path.pop();
    finished.add(name);
  };
  for (const name of names) if (!finished.has(name)) visit(name);
}

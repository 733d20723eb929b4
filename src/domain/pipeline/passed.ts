import { diagnose } from '#domain/language/diagnostic.ts';
import type { Report } from '#domain/language/diagnostic.ts';
import type { Text } from '#domain/language/read-attribute.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { JobDraft } from './jobs.ts';
import { actionsOf } from './steps.ts';

/** Every job that `passed` names must exist, use the resource, and not wait for the job that names it. */
export function checkPassed(drafts: readonly JobDraft[], report: Report): void {
  const jobs = new Map(drafts.map((draft) => [draft.job.name, draft]));
  for (const draft of drafts) {
    for (const { resource, jobs: names } of draft.passed) {
      for (const name of names) checkName({ name, resource, jobs }, report);
    }
  }
  reportCycles(jobs, report);
}

function checkName(
  { name, resource, jobs }: { name: Text; resource: string; jobs: ReadonlyMap<string, JobDraft> },
  report: Report,
): void {
  const upstream = jobs.get(name.text);
  if (!upstream) {
    report(
      diagnose(
        'unknown-job',
        name.range,
        `there is no job "${name.text}"${didYouMean(name.text, jobs.keys())}`,
      ),
    );
    return;
  }
  const uses = actionsOf(upstream.job.steps).some((step) => 'resource' in step && step.resource === resource);
  if (uses || upstream.incomplete) return;
  const message = `this can never be satisfied: the job "${name.text}" neither gets nor puts ${resource}`;
  report(diagnose('passed-never', name.range, message));
}

/** Names each circle once, at the entry that closes it. */
function reportCycles(jobs: ReadonlyMap<string, JobDraft>, report: Report): void {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): void => {
    path.push(name);
    for (const { text, range } of jobs.get(name)?.passed.flatMap((get) => get.jobs) ?? []) {
      const start = path.indexOf(text);
      if (start >= 0) {
        const circle = [...path.slice(start), text].join(' → ');
        report(diagnose('passed-cycle', range, `jobs wait for each other in a circle: ${circle}`));
      } else if (!done.has(text) && jobs.has(text)) visit(text);
    }
    path.pop();
    done.add(name);
  };
  for (const name of jobs.keys()) if (!done.has(name)) visit(name);
}

import { diagnose } from '#domain/language/diagnostic.ts';
import type { JobDraft } from './jobs.ts';
import { takesEvery } from './takes-every.ts';

/**
 * Warns about `supersede = false` in a job that has no trigger for the newest version only. If triggers take
 * every version, each version has its own build and none is superseded.
 */
export function warnOfSupersede(drafts: readonly JobDraft[]): void {
  for (const { job, gets, supersede, incomplete, report } of drafts) {
    if (supersede === undefined || incomplete) continue;
    if (gets.some(({ step }) => step.trigger && !takesEvery(step))) continue;
    const message = `supersede has no effect: the job "${job.name}" has no trigger that takes only the newest version`;
    report(diagnose('supersede-without-effect', supersede, message));
  }
}

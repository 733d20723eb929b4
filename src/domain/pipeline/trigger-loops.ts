import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { JobDraft } from './jobs.ts';
import { actionsOf, hookActionsOf } from './steps.ts';

type Get = JobDraft['gets'][number];

/**
 * Warns about jobs whose builds may start each other endlessly. A job puts a resource, and a get with
 * `trigger` takes each new version of it, without `passed` or with `passed` that names that same job. A loop
 * is reported at the get that closes it, and each get at most once.
 */
export function warnOfTriggerLoops(drafts: readonly JobDraft[], report: Report): void {
  const triggers = Map.groupBy(
    drafts.flatMap((draft) => draft.gets.filter(({ step }) => step.trigger).map((get) => ({ draft, get }))),
    ({ get }) => get.step.resource,
  );
  const triggeredBy = (draft: JobDraft): { draft: JobDraft; get: Get }[] =>
    putsOf(draft).flatMap((resource) =>
      (triggers.get(resource) ?? []).filter(
        ({ get: { step } }) => step.passed.length === 0 || step.passed.includes(draft.job.name),
      ),
    );
  const state = new Map<JobDraft, 'open' | 'done'>();
  const reported = new Set<number>();
  const path: JobDraft[] = [];
  // Instances of a group share one get in the text, which is reported once.
  const reportOnce = (draft: JobDraft, get: Get): void => {
    const place = get.range.start.byte;
    if (!reported.has(place)) reportLoop(path.slice(path.indexOf(draft)), get, report);
    reported.add(place);
  };
  const visit = (draft: JobDraft): void => {
    state.set(draft, 'open');
    path.push(draft);
    for (const next of triggeredBy(draft)) {
      if (state.get(next.draft) === 'open') reportOnce(next.draft, next.get);
      else if (!state.has(next.draft)) visit(next.draft);
    }
    path.pop();
    state.set(draft, 'done');
  };
  for (const draft of drafts) if (!state.has(draft)) visit(draft);
}

function reportLoop(loop: readonly JobDraft[], { step, range }: Get, report: Report): void {
  const names = loop.map(({ job }) => job.name);
  const [first = ''] = names;
  const message =
    names.length === 1
      ? `the job "${first}" may start itself endlessly: ` +
        `it puts ${step.resource}, and each new version of it triggers this get`
      : `these jobs may start one another endlessly: ${[...names, first].join(' → ')}`;
  report(diagnose('trigger-loop', range, message));
}

function putsOf({ job }: JobDraft): string[] {
  const actions = [...actionsOf(job.steps), ...hookActionsOf(job)];
  return [...new Set(actions.flatMap((action) => (action.kind === 'put' ? [action.resource] : [])))];
}

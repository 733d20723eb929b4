import type { Approval, Job } from '#domain/pipeline/pipeline.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import { takesEvery } from '#domain/pipeline/takes-every.ts';
import type { PipelineName } from '#flows/names.ts';
import { secondsInWords } from './amounts.ts';
import { htmlTable } from './data-table.ts';
import { html, joined, type Html } from './html.ts';
import { scrolling } from './layout.ts';
import { paths } from './paths.ts';

/** What the definition says about a job: which resources it gets, and how its builds run. */
export function jobFacts(name: PipelineName, job: Job): Html {
  const rules = rulesOf(job);
  return html`<section aria-labelledby="definition">
    <h2 id="definition">Definition</h2>
    ${getsTable(name, job)}
    ${
      rules.length > 0 &&
      html`<dl>
        ${joined(
          rules.map(
            ([subject, rule]) =>
              html`<dt>${subject}</dt>
                <dd>${rule}</dd>`,
          ),
        )}
      </dl>`
    }
  </section>`;
}

function getsTable(name: PipelineName, { steps }: Job): Html {
  const gets = getsOf(steps);
  if (gets.length === 0) return html`<p>The job gets no resource, so only people start it.</p>`;
  return scrolling(
    'What the job gets',
    htmlTable(gets, [
      {
        title: 'Gets',
        cell: ({ resource }) => html`<a href="${paths.resource({ ...name, resource })}">${resource}</a>`,
      },
      {
        title: 'A new version',
        cell: (get) => {
          if (!get.trigger) return 'starts nothing';
          return takesEvery(get) ? 'starts a build, and none is skipped' : 'starts a build of the newest';
        },
      },
      {
        title: 'Passed',
        cell: ({ passed }) =>
          passed.length === 0
            ? 'any version'
            : joined(
                passed.map((job) => html`<a href="${paths.builds({ ...name, job })}">${job}</a>`),
                html`, `,
              ),
      },
    ]),
  );
}

/** The settings of a job that differ from the defaults, in the order of `RULES`. */
export function rulesOf(job: Job): [subject: string, rule: string][] {
  return RULES.flatMap(([subject, ruleOf]): [string, string][] => {
    const rule = ruleOf(job);
    return rule === undefined ? [] : [[subject, rule]];
  });
}

const RULES: readonly [subject: string, ruleOf: (job: Job) => string | undefined][] = [
  [
    'At a time',
    ({ concurrency }) => {
      if (concurrency === undefined) return undefined;
      return concurrency === 1 ? 'one build (serial)' : `${concurrency} builds`;
    },
  ],
  ['Not together with', ({ serialGroups = [] }) => groupsOf(serialGroups)],
  [
    'Timeout',
    ({ timeoutSeconds }) => (timeoutSeconds === undefined ? undefined : secondsInWords(timeoutSeconds)),
  ],
  ['Approval', ({ approval }) => approval && approvalOf(approval)],
  ['Runs on workers with', ({ tags = [] }) => (tags.length > 0 ? tags.join(', ') : undefined)],
  ['A newer build', when('interruptible', true, 'cancels older ones')],
  ['Queued builds', when('supersede', false, 'are kept when newer versions are ready')],
  ['A failure', when('allowFailure', true, 'counts as a warning')],
  ['Retry', when('disableRetry', true, 'not allowed')],
  ['Made from', ({ group }) => group && `${group.name}, ${group.key}`],
];

function when(
  setting: 'interruptible' | 'supersede' | 'allowFailure' | 'disableRetry',
  value: boolean,
  rule: string,
): (job: Job) => string | undefined {
  return (job) => (job[setting] === value ? rule : undefined);
}

function groupsOf(serialGroups: readonly string[]): string | undefined {
  if (serialGroups.length === 0) return undefined;
  return `other jobs of ${serialGroups.length === 1 ? 'the serial group' : 'the serial groups'} ${serialGroups.join(', ')}`;
}

function approvalOf({ approvals, timeoutSeconds }: Approval): string {
  const people = approvals === 1 ? 'one person' : `${approvals} people`;
  return timeoutSeconds === undefined ? people : `${people}, within ${secondsInWords(timeoutSeconds)}`;
}

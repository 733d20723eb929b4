import { describe, expect, test } from '@jest/globals';
import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import { eventsBetween } from './pipeline-events.ts';
import { pipelineStatus, type StatusInput } from './pipeline-status.ts';
import { verdictOf } from './pipeline-verdict.ts';

const now = new Date('2026-11-21T12:00:00.123Z');
const later = new Date('2026-11-21T12:05:00Z');
const ended = (minute: number): Date => new Date(Date.UTC(2026, 10, 21, 11, minute));

const facts = (overrides: Partial<PipelineFacts> = {}): PipelineFacts => ({
  id: 1,
  revision: 3,
  paused: false,
  jobs: [{ name: 'unit', paused: false }],
  resources: [{ name: 'git.app', versions: 1, stalled: false }],
  ...overrides,
});
const unit = (
  number: string,
  status: 'pending' | 'started' | 'succeeded' | 'failed',
  minute?: number,
): PipelineFacts['jobs'][number] => ({
  name: 'unit',
  paused: false,
  lastBuild: { number, status, ...(minute === undefined ? {} : { endedAt: ended(minute) }) },
});
const applied = (overrides: Partial<PipelineFacts> = {}, warnings: string[] = []): PipelineApplied => ({
  outcome: 'applied',
  saved: {
    id: 1,
    revision: 3,
    changed: true,
    resources: [],
    difference: {
      jobs: { added: ['unit'], changed: [], removed: [] },
      resources: { added: [], changed: [], removed: [] },
      histories: [],
    },
  },
  warnings,
  facts: facts(overrides),
});

function statusOf(outcome: PipelineApplied, overrides: Partial<StatusInput> = {}): PipelineStatus {
  return pipelineStatus({
    verdict: verdictOf(outcome, overrides.before),
    facts: outcome.facts,
    before: undefined,
    generation: 7,
    now,
    ...overrides,
  });
}

const noGpu = {
  reason: 'TagNotAllowed',
  message: 'job train: Team blue does not allow the tag gpu.',
} as const;

const conditionLines = (status: PipelineStatus): string[] =>
  (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
const eventsOf = (before: PipelineStatus | undefined, after: PipelineStatus): string[] =>
  eventsBetween(before, after).map(({ type, reason }) => `${type} ${reason}`);

describe('the request for sources that a status answers', () => {
  test('is the one that was applied, also in later statuses', () => {
    const first = statusOf(applied(), { requestedAt: 'noon' });
    expect(first.observedRequestedAt).toBe('noon');
    expect(statusOf(applied(), { before: first, requestedAt: 'one' }).observedRequestedAt).toBe('one');
  });

  test('stays the former one if applying the object failed', () => {
    const before = statusOf(applied(), { requestedAt: 'noon' });
    const failed = statusOf(applied(), { before, requestedAt: 'one', fault: 'the database is away' });
    expect(failed.observedRequestedAt).toBe('noon');
  });
});

describe('the conditions of a Pipeline', () => {
  test.each<[string, PipelineApplied, string[]]>([
    ['an accepted Pipeline is ready', applied(), ['Ready=True Accepted']],
    ['a paused Pipeline is still ready', applied({ paused: true }), ['Ready=True Paused']],
    [
      'a Pipeline with errors waits for a change of the manifest',
      { outcome: 'invalid', errors: ['3:1: no'], facts: facts() },
      ['Ready=False InvalidConfig', 'Stalled=True InvalidConfig'],
    ],
    [
      'a Pipeline whose source may become available is retried without a change',
      { outcome: 'unavailable', reason: 'SourceUnavailable', message: 'It did not answer.', again: true },
      ['Ready=False SourceUnavailable'],
    ],
    [
      'a Pipeline without its ConfigMap waits for a change',
      { outcome: 'unavailable', reason: 'ConfigMapNotFound', message: 'There is none.' },
      ['Ready=False ConfigMapNotFound', 'Stalled=True ConfigMapNotFound'],
    ],
    [
      'a failed build does not affect the definition’s conditions',
      applied({ jobs: [unit('4', 'failed', 10)] }),
      ['Ready=True Accepted', 'LastBuildSucceeded=False BuildFailed'],
    ],
    [
      'the build that ended last among all jobs counts, even while others run',
      applied({
        jobs: [
          unit('9', 'started'),
          { ...unit('4', 'failed', 10), name: 'a' },
          { ...unit('2', 'succeeded', 20), name: 'b' },
        ],
      }),
      ['Ready=True Accepted', 'LastBuildSucceeded=True BuildSucceeded'],
    ],
    [
      'checks that are long overdue are reported',
      applied({ resources: [{ name: 'git.app', versions: 0, stalled: true }] }),
      ['Ready=True Accepted', 'ChecksStalled=True Overdue'],
    ],
    [
      'checks that found more versions than one check may record are reported',
      applied({ resources: [{ name: 'git.app', versions: 100, stalled: false, omitted: 50 }] }),
      ['Ready=True Accepted', 'VersionsTruncated=True TooManyVersions'],
    ],
    [
      'failed hooks are reported',
      applied({ resources: [{ name: 'git.app', versions: 1, stalled: false, hooksError: 'no' }] }),
      ['Ready=True Accepted', 'HooksFailed=True HookFailed'],
    ],
    [
      'a full queue is reported',
      applied({ queueFull: true }),
      ['Ready=True Accepted', 'QueueFull=True TooManyQueuedBuilds'],
    ],
    [
      'tags that the Team does not allow are reported',
      { ...applied(), refusedTags: [noGpu] },
      ['Ready=True Accepted', 'TagsRefused=True TagNotAllowed'],
    ],
    [
      'a foreign CronJob with the name of a check’s CronJob is reported',
      { ...applied(), blockedChecks: ['Millrace did not create the CronJob blue/x.'] },
      ['Ready=True Accepted', 'ChecksBlocked=True CronJobNotOurs'],
    ],
    [
      'refused tags of the last good revision are reported',
      { outcome: 'invalid', errors: ['no'], facts: facts(), refusedTags: [noGpu] },
      ['Ready=False InvalidConfig', 'Stalled=True InvalidConfig', 'TagsRefused=True TagNotAllowed'],
    ],
  ])('%s', (_, outcome, expected) => {
    expect(conditionLines(statusOf(outcome))).toEqual(expected);
  });

  test('report every error with line and column, and the revision that stays in use', () => {
    const errors = Array.from({ length: 50 }, (_, index) => `${index + 1}:1: wrong`);
    const message = statusOf({ outcome: 'invalid', errors, facts: facts() }).conditions?.[0]?.message;
    expect(message).toBe(`${errors.join('\n')}\nRevision 3 keeps running.`);
  });

  test('report warnings beside the revision in use', () => {
    expect(statusOf(applied({}, ['2:1: mind this'])).conditions?.[0]?.message).toBe(
      'Revision 3 is current.\n2:1: mind this',
    );
  });

  test('keep their transition time until their status changes', () => {
    const first = statusOf(applied());
    const second = statusOf(applied({ paused: true }), { before: first, now: later });
    const third = statusOf(
      { outcome: 'invalid', errors: ['x'], facts: facts() },
      { before: second, now: later },
    );
    const times = [first, second, third].map((status) => status.conditions?.[0]?.lastTransitionTime);
    expect(times).toEqual(['2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z', '2026-11-21T12:05:00Z']);
  });

  test('are equal for equal input, so that nothing is written', () => {
    const first = statusOf(applied({ jobs: [unit('4', 'failed', 10)] }));
    const second = statusOf(applied({ jobs: [unit('4', 'failed', 10)] }), { before: first, now: later });
    expect(second).toEqual(first);
  });

  test('keep the last known state and report the fault while the database is unavailable', () => {
    const before = statusOf(applied({ jobs: [unit('4', 'succeeded', 10)] }));
    const verdict = verdictOf(applied(), before);
    const status = pipelineStatus({
      verdict,
      facts: undefined,
      fault: 'away',
      before,
      generation: 7,
      now: later,
    });
    expect(conditionLines(status)).toEqual([
      'Ready=True Accepted',
      'Reconciling=True Retrying',
      'LastBuildSucceeded=True BuildSucceeded',
    ]);
    expect(status).toMatchObject({ revision: 3, jobCount: 1, lastBuild: 'unit #4 succeeded' });
  });
});

test('the status of a Pipeline has a size limit, however large the pipeline is', () => {
  const many = Array.from({ length: 500 }, (_, index) => `n${index}`);
  const status = statusOf(
    applied({
      jobs: many.map((name) => ({ name, paused: false })),
      resources: many.map((name) => ({ name, versions: 0, stalled: false, checkError: 'x'.repeat(5000) })),
    }),
  );
  expect(status.jobCount).toBe(500);
  expect(status.jobs).toHaveLength(100);
  expect(status.failingChecks).toHaveLength(20);
  expect(status.failingChecks?.[0]?.message).toHaveLength(1024);
});

describe('the Events between two statuses of a Pipeline', () => {
  const first = statusOf(applied());
  const buildStarted = statusOf(applied({ jobs: [unit('1', 'started')] }), { before: first });
  const buildSucceeded = statusOf(applied({ jobs: [unit('1', 'succeeded', 1)] }), { before: buildStarted });
  const buildFailed = statusOf(applied({ jobs: [unit('2', 'failed', 2)] }), { before: buildSucceeded });
  const failing = facts({ resources: [{ name: 'git.app', versions: 0, stalled: false, checkError: 'no' }] });
  const failed = (hooksError: string): PipelineStatus =>
    statusOf(applied({ resources: [{ name: 'git.app', versions: 1, stalled: false, hooksError }] }));
  const omitted = (count: number): PipelineStatus =>
    statusOf(applied({ resources: [{ name: 'git.app', versions: 100, stalled: false, omitted: count }] }));
  const broken = statusOf({ outcome: 'invalid', errors: ['x'], facts: facts() }, { before: first });

  test.each<[string, PipelineStatus | undefined, PipelineStatus, string[]]>([
    ['a first revision is an Event', undefined, first, ['Normal RevisionApplied']],
    ['an unchanged status has no Events', first, first, []],
    ['a build that starts is an Event', first, buildStarted, ['Normal BuildStarted']],
    ['a build that succeeds is an Event', buildStarted, buildSucceeded, ['Normal BuildSucceeded']],
    [
      'a build that failed before its start was seen has an Event for its end',
      buildSucceeded,
      buildFailed,
      ['Warning BuildFailed'],
    ],
    ['new errors are one Event', first, broken, ['Warning InvalidConfig']],
    ['the same errors again create no Event', broken, broken, []],
    [
      'a failing check is an Event',
      first,
      statusOf({ ...applied(), facts: failing }),
      ['Warning CheckFailed'],
    ],
    ['omitted versions are an Event', first, omitted(50), ['Warning VersionsTruncated']],
    ['the same omitted versions again create no Event', omitted(50), omitted(50), []],
    ['other omitted versions are an Event', omitted(50), omitted(51), ['Warning VersionsTruncated']],
    ['a check that is complete again creates no Event', omitted(50), first, []],
    ['failed hooks are an Event', first, failed('no'), ['Warning HooksFailed']],
    ['the same failed hooks again create no Event', failed('no'), failed('no'), []],
    ['hooks that succeed again create no Event', failed('no'), first, []],
    ['a full queue is an Event', first, statusOf(applied({ queueFull: true })), ['Warning QueueFull']],
    [
      'builds of an earlier object with the name create no Events',
      undefined,
      buildFailed,
      ['Normal RevisionApplied'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(eventsOf(before, after)).toEqual(expected);
  });

  test('count the omitted versions of each resource', () => {
    const resources = [
      { name: 'git.app', versions: 100, stalled: false, omitted: 50 },
      { name: 'git.lib', versions: 100, stalled: false, omitted: 1 },
      { name: 'git.web', versions: 100, stalled: false },
    ];
    expect(eventsBetween(first, statusOf(applied({ resources })))[0]?.note).toBe(
      'One check returns at most 100 versions: ignored the oldest 50 versions of git.app, ' +
        'ignored the oldest version of git.lib.',
    );
  });

  test('say what a revision changed', () => {
    expect(eventsBetween(undefined, first)[0]?.note).toBe('Revision 3: 1 job, 1 resource; jobs added: unit');
  });
});

test('the last plan omits empty parts, because the API server rejects an emptied object as null', () => {
  expect(statusOf(applied()).lastPlan).toStrictEqual({ jobs: { added: ['unit'] } });
});

test('the last plan names the resources whose history is a new one, and why', () => {
  const nothing = { added: [], changed: [], removed: [] };
  const histories = ['git.app: another history (branch main → release)'];
  const difference = { jobs: nothing, resources: { ...nothing, changed: ['git.app'] }, histories };
  const saved = { id: 1, revision: 4, changed: true, resources: [], difference };
  const status = statusOf({ outcome: 'applied', saved, warnings: [], facts: facts() });
  expect(status.lastPlan).toStrictEqual({ resources: { changed: ['git.app'] }, histories });
});

test('a change of neither jobs nor resources, such as a comment, leaves no last plan', () => {
  const nothing = { added: [], changed: [], removed: [] };
  const difference = { jobs: nothing, resources: nothing, histories: [] };
  const saved = { id: 1, revision: 4, changed: true, resources: [], difference };
  const status = statusOf({ outcome: 'applied', saved, warnings: [], facts: facts() });
  expect(status).not.toHaveProperty('lastPlan');
});

test('an Event reports a failing check of a pipeline without jobs', () => {
  const before = statusOf(applied({ jobs: [] }));
  const lost = { name: 'git.lost', versions: 0, stalled: false, checkError: 'no branch' };
  const after = statusOf(applied({ jobs: [], resources: [lost] }), { before });
  expect(eventsOf(before, after)).toContain('Warning CheckFailed');
});

test.each([
  ['was never seen', unit('1', 'succeeded', 1)],
  ['was only seen pending', unit('2', 'pending', 1)],
])('a quick build that %s gets Events for its start and its end', (_, seen) => {
  const before = statusOf(applied({ jobs: [seen] }));
  const after = statusOf(applied({ jobs: [unit('2', 'succeeded', 2)] }), { before });
  expect(eventsOf(before, after)).toEqual(['Normal BuildStarted', 'Normal BuildSucceeded']);
});

const waits = (...waiting: NonNullable<PipelineFacts['waiting']>) => statusOf(applied({ waiting }));
const because = (code: 'NothingNew' | 'NoVersion' | 'NoAgreement' | 'SerialGroup', message = `${code}.`) => ({
  code,
  message,
});

describe('a job or build that waits in the status of a Pipeline', () => {
  test('has its reason, and is left out if its wait ends by itself', () => {
    const status = waits(
      { job: 'unit', number: '3', reason: because('SerialGroup') },
      { job: 'unit', reason: because('NothingNew') },
      { job: 'deploy', reason: because('NoVersion') },
    );
    expect(status.waiting).toEqual([
      { job: 'unit', build: '3', reason: 'SerialGroup', message: 'SerialGroup.' },
      { job: 'deploy', reason: 'NoVersion', message: 'NoVersion.' },
    ]);
    expect(waits()).not.toHaveProperty('waiting');
  });

  test('is an Event when its reason changes, but not when only its sentence does', () => {
    const idle = waits({ job: 'deploy', reason: because('NoVersion') });
    const stuck = waits({ job: 'deploy', reason: because('NoAgreement', 'No build of a and b.') });
    const still = waits({ job: 'deploy', reason: because('NoAgreement', 'No build of a, b and c.') });
    const queued = waits({ job: 'deploy', number: '4', reason: because('SerialGroup') });
    expect(eventsOf(undefined, stuck)).toEqual(['Normal RevisionApplied']);
    expect(eventsOf(waits(), idle)).toEqual([]);
    expect(eventsOf(idle, stuck)).toEqual(['Warning NoAgreement']);
    expect(eventsOf(stuck, still)).toEqual([]);
    expect(eventsBetween(idle, queued)).toMatchObject([
      { type: 'Normal', reason: 'SerialGroup', note: 'Build 4 of job deploy waits: SerialGroup.' },
    ]);
  });

  test('stays while the facts are unavailable', () => {
    const before = waits({ job: 'deploy', reason: because('NoAgreement') });
    expect(statusOf(applied(), { facts: undefined, before }).waiting).toEqual(before.waiting);
  });
});

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

const facts = (more: Partial<PipelineFacts> = {}): PipelineFacts => ({
  id: 1,
  revision: 3,
  paused: false,
  jobs: [{ name: 'unit', paused: false }],
  resources: [{ name: 'git.app', versions: 1, stalled: false }],
  ...more,
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
const applied = (more: Partial<PipelineFacts> = {}, warnings: string[] = []): PipelineApplied => ({
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
  facts: facts(more),
});

function statusOf(outcome: PipelineApplied, more: Partial<StatusInput> = {}): PipelineStatus {
  return pipelineStatus({
    verdict: verdictOf(outcome, more.before),
    facts: outcome.facts,
    before: undefined,
    generation: 7,
    now,
    ...more,
  });
}

const noGpu = {
  reason: 'TagNotAllowed',
  message: 'job train: Team blue does not allow the tag gpu.',
} as const;

const brief = (status: PipelineStatus): string[] =>
  (status.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
const eventsOf = (before: PipelineStatus | undefined, after: PipelineStatus): string[] =>
  eventsBetween(before, after).map(({ type, reason }) => `${type} ${reason}`);

describe('conditions of a Pipeline', () => {
  test.each<[string, PipelineApplied, string[]]>([
    ['accepted', applied(), ['Ready=True Accepted']],
    ['paused is ready all the same', applied({ paused: true }), ['Ready=True Paused']],
    [
      'with errors it waits for a change of the manifest',
      { outcome: 'invalid', errors: ['3:1: no'], facts: facts() },
      ['Ready=False InvalidConfig', 'Stalled=True InvalidConfig'],
    ],
    [
      'with a source that may be back in a minute it waits without a change',
      { outcome: 'unavailable', reason: 'SourceUnavailable', message: 'It did not answer.', again: true },
      ['Ready=False SourceUnavailable'],
    ],
    [
      'without its ConfigMap too',
      { outcome: 'unavailable', reason: 'ConfigMapNotFound', message: 'There is none.' },
      ['Ready=False ConfigMapNotFound', 'Stalled=True ConfigMapNotFound'],
    ],
    [
      'a red build says nothing of the definition',
      applied({ jobs: [unit('4', 'failed', 10)] }),
      ['Ready=True Accepted', 'LastBuildSucceeded=False BuildFailed'],
    ],
    [
      'of all jobs the build counts that ended last, while others run',
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
      'checks that are long overdue',
      applied({ resources: [{ name: 'git.app', versions: 0, stalled: true }] }),
      ['Ready=True Accepted', 'ChecksStalled=True Overdue'],
    ],
    [
      'checks that found more than one check may bring',
      applied({ resources: [{ name: 'git.app', versions: 100, stalled: false, cut: 50 }] }),
      ['Ready=True Accepted', 'VersionsTruncated=True TooManyVersions'],
    ],
    [
      'hooks that failed',
      applied({ resources: [{ name: 'git.app', versions: 1, stalled: false, hooksError: 'no' }] }),
      ['Ready=True Accepted', 'HooksFailed=True HookFailed'],
    ],
    [
      'a queue that is full',
      applied({ queueFull: true }),
      ['Ready=True Accepted', 'QueueFull=True TooManyQueuedBuilds'],
    ],
    [
      'tags that the Team does not allow',
      { ...applied(), refusedTags: [noGpu] },
      ['Ready=True Accepted', 'TagsRefused=True TagNotAllowed'],
    ],
    [
      'a CronJob of somebody else where one of ours is to be',
      { ...applied(), blockedChecks: ['The CronJob blue/x is not one of ours.'] },
      ['Ready=True Accepted', 'ChecksBlocked=True CronJobNotOurs'],
    ],
    [
      'such tags of a last good revision',
      { outcome: 'invalid', errors: ['no'], facts: facts(), refusedTags: [noGpu] },
      ['Ready=False InvalidConfig', 'Stalled=True InvalidConfig', 'TagsRefused=True TagNotAllowed'],
    ],
  ])('%s', (_, outcome, expected) => {
    expect(brief(statusOf(outcome))).toEqual(expected);
  });

  test('every error is told, by line and column, and which revision goes on', () => {
    const errors = Array.from({ length: 50 }, (_, index) => `${index + 1}:1: wrong`);
    const message = statusOf({ outcome: 'invalid', errors, facts: facts() }).conditions?.[0]?.message;
    expect(message).toBe(`${errors.join('\n')}\nRevision 3 keeps running.`);
  });

  test('warnings stand beside the revision that runs', () => {
    expect(statusOf(applied({}, ['2:1: mind this'])).conditions?.[0]?.message).toBe(
      'Revision 3 is current.\n2:1: mind this',
    );
  });

  test('a time is kept until the status of its condition changes', () => {
    const first = statusOf(applied());
    const second = statusOf(applied({ paused: true }), { before: first, now: later });
    const third = statusOf(
      { outcome: 'invalid', errors: ['x'], facts: facts() },
      { before: second, now: later },
    );
    const times = [first, second, third].map((status) => status.conditions?.[0]?.lastTransitionTime);
    expect(times).toEqual(['2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z', '2026-11-21T12:05:00Z']);
  });

  test('equal input gives an equal status, so that nothing is written', () => {
    const first = statusOf(applied({ jobs: [unit('4', 'failed', 10)] }));
    const second = statusOf(applied({ jobs: [unit('4', 'failed', 10)] }), { before: first, now: later });
    expect(second).toEqual(first);
  });

  test('while the database is away, what was known stays and the trouble is told', () => {
    const before = statusOf(applied({ jobs: [unit('4', 'succeeded', 10)] }));
    const verdict = verdictOf(applied(), before);
    const status = pipelineStatus({
      verdict,
      facts: undefined,
      trouble: 'away',
      before,
      generation: 7,
      now: later,
    });
    expect(brief(status)).toEqual([
      'Ready=True Accepted',
      'Reconciling=True Retrying',
      'LastBuildSucceeded=True BuildSucceeded',
    ]);
    expect(status).toMatchObject({ revision: 3, jobCount: 1, lastBuild: 'unit #4 succeeded' });
  });
});

test('a status is bounded, however large the pipeline', () => {
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

describe('Events tell how one status became the next', () => {
  const first = statusOf(applied());
  const running = statusOf(applied({ jobs: [unit('1', 'started')] }), { before: first });
  const green = statusOf(applied({ jobs: [unit('1', 'succeeded', 1)] }), { before: running });
  const red = statusOf(applied({ jobs: [unit('2', 'failed', 2)] }), { before: green });
  const failing = facts({ resources: [{ name: 'git.app', versions: 0, stalled: false, checkError: 'no' }] });
  const failed = (hooksError: string): PipelineStatus =>
    statusOf(applied({ resources: [{ name: 'git.app', versions: 1, stalled: false, hooksError }] }));
  const cut = (count: number): PipelineStatus =>
    statusOf(applied({ resources: [{ name: 'git.app', versions: 100, stalled: false, cut: count }] }));
  const broken = statusOf({ outcome: 'invalid', errors: ['x'], facts: facts() }, { before: first });

  test.each<[string, PipelineStatus | undefined, PipelineStatus, string[]]>([
    ['a first revision', undefined, first, ['Normal RevisionApplied']],
    ['nothing', first, first, []],
    ['a build that starts', first, running, ['Normal BuildStarted']],
    ['a build that succeeds', running, green, ['Normal BuildSucceeded']],
    ['a build that failed before anybody looked', green, red, ['Warning BuildFailed']],
    ['errors, once', first, broken, ['Warning InvalidConfig']],
    ['the same errors again', broken, broken, []],
    ['a failing check', first, statusOf({ ...applied(), facts: failing }), ['Warning CheckFailed']],
    ['versions that are left out', first, cut(50), ['Warning VersionsTruncated']],
    ['the same ones', cut(50), cut(50), []],
    ['other ones', cut(50), cut(51), ['Warning VersionsTruncated']],
    ['a check that is complete again', cut(50), first, []],
    ['hooks that failed', first, failed('no'), ['Warning HooksFailed']],
    ['the same once more', failed('no'), failed('no'), []],
    ['hooks that succeed again', failed('no'), first, []],
    ['a queue that is full', first, statusOf(applied({ queueFull: true })), ['Warning QueueFull']],
    ['no builds of an earlier object of the name', undefined, red, ['Normal RevisionApplied']],
  ])('%s', (_, before, after, expected) => {
    expect(eventsOf(before, after)).toEqual(expected);
  });

  test('versions that are left out are counted, for each resource', () => {
    const resources = [
      { name: 'git.app', versions: 100, stalled: false, cut: 50 },
      { name: 'git.lib', versions: 100, stalled: false, cut: 1 },
      { name: 'git.web', versions: 100, stalled: false },
    ];
    expect(eventsBetween(first, statusOf(applied({ resources })))[0]?.note).toBe(
      'One check returns at most 100 versions: ignored the oldest 50 versions of git.app, ignored the oldest version of git.lib.',
    );
  });

  test('a revision says what it changed', () => {
    expect(eventsBetween(undefined, first)[0]?.note).toBe('Revision 3: 1 job, 1 resource; jobs added: unit');
  });
});

test('what a change did not touch is left out of the last plan: an emptied object would be refused as null', () => {
  expect(statusOf(applied()).lastPlan).toStrictEqual({ jobs: { added: ['unit'] } });
});

test('the last plan tells which resources have another history, and why', () => {
  const nothing = { added: [], changed: [], removed: [] };
  const histories = ['git.app: another history (branch main → release)'];
  const difference = { jobs: nothing, resources: { ...nothing, changed: ['git.app'] }, histories };
  const saved = { id: 1, revision: 4, changed: true, resources: [], difference };
  const status = statusOf({ outcome: 'applied', saved, warnings: [], facts: facts() });
  expect(status.lastPlan).toStrictEqual({ resources: { changed: ['git.app'] }, histories });
});

test('a change of neither jobs nor resources, a comment for instance, leaves no plan at all', () => {
  const nothing = { added: [], changed: [], removed: [] };
  const difference = { jobs: nothing, resources: nothing, histories: [] };
  const saved = { id: 1, revision: 4, changed: true, resources: [], difference };
  const status = statusOf({ outcome: 'applied', saved, warnings: [], facts: facts() });
  expect(status).not.toHaveProperty('lastPlan');
});

test('a check that fails is told of a pipeline without jobs too', () => {
  const before = statusOf(applied({ jobs: [] }));
  const lost = { name: 'git.lost', versions: 0, stalled: false, checkError: 'no branch' };
  const after = statusOf(applied({ jobs: [], resources: [lost] }), { before });
  expect(eventsOf(before, after)).toContain('Warning CheckFailed');
});

test.each([
  ['at all', unit('1', 'succeeded', 1)],
  ['running, only waiting for its turn', unit('2', 'pending', 1)],
])('a build that was too quick to be seen %s is told from its start', (_, seen) => {
  const before = statusOf(applied({ jobs: [seen] }));
  const after = statusOf(applied({ jobs: [unit('2', 'succeeded', 2)] }), { before });
  expect(eventsOf(before, after)).toEqual(['Normal BuildStarted', 'Normal BuildSucceeded']);
});

const waits = (...waiting: NonNullable<PipelineFacts['waiting']>) => statusOf(applied({ waiting }));
const because = (code: 'NothingNew' | 'NoVersion' | 'NoAgreement' | 'SerialGroup', message = `${code}.`) => ({
  code,
  message,
});

describe('what waits', () => {
  test('is shown with its reason, but for what passes by itself', () => {
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

  test('is an Event when its reason changes, and not when only its sentence does', () => {
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

  test('stays while the facts are out of reach', () => {
    const before = waits({ job: 'deploy', reason: because('NoAgreement') });
    expect(statusOf(applied(), { facts: undefined, before }).waiting).toEqual(before.waiting);
  });
});

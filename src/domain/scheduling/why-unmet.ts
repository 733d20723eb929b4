import type { CheckFacts, HeldVersions, ResourceFacts } from './facts.ts';
import { formatList, type Reason } from './reasons.ts';
import type { Snapshot } from './snapshot.ts';

/** Messages name versions by their row ids, as people see them. */
type RowIds = Pick<Snapshot, 'idOf'>;

/** Why a get without `passed` has no version. */
export function whyNoVersion(
  { name, pinned, disabled, held, check }: ResourceFacts,
  { idOf }: RowIds,
): Reason {
  const data = { resource: name };
  if (pinned?.elsewhere) {
    const version = idOf(pinned.version);
    const message =
      `${name} is pinned to version ${version}, which was found before its source changed. ` +
      'Pin another version, or unpin the resource.';
    return { code: 'PinnedUnknown', message, data: { ...data, version } };
  }
  if (pinned?.unknown) {
    const message = `The manifest pins ${name} to a version that no check has found yet.`;
    return { code: 'PinnedUnknown', message, data };
  }
  if (pinned?.disabled) {
    const version = idOf(pinned.version);
    const message = `${name} is pinned to version ${version}, which is disabled.`;
    return { code: 'PinnedDisabled', message, data: { ...data, version } };
  }
  if (held !== undefined) return whyHeld(name, held);
  if (disabled) return { code: 'AllDisabled', message: `Every version of ${name} is disabled.`, data };
  const message = [`No version of ${name} is known yet.`, ...(check === undefined ? [] : howFound(check))];
  return { code: 'NoVersion', message: message.join(' '), data };
}

const BY_HAND =
  'It has no check_interval, so a check starts only with `millrace resources check`, ' +
  '"Check now" in the console, or a webhook.';

const FIRST_CHECK_RUNS = 'Its first check has not ended yet.';

/**
 * Says where the versions of a resource come from or how its last check ended, and how to start a check if
 * there is no schedule.
 */
function howFound({ by, scheduled, pending, last }: CheckFacts): string[] {
  if (by === 'stream') return ['Its versions come from puts and from `millrace triggers emit`.'];
  if (by === 'nothing') return ['Its type has no check, so its versions come only from puts.'];
  const next = scheduled || pending ? [] : [BY_HAND];
  if (last === 'failed') return ['Its last check failed; `millrace resources get` shows why.', ...next];
  if (last === 'succeeded') return ['Its last check found none.', ...next];
  if (next.length > 0) return next;
  const waitsForTime = by === 'cron' && !pending;
  return [waitsForTime ? 'The first time of its check_interval has not come yet.' : FIRST_CHECK_RUNS];
}

/** Why the newest versions of a resource trigger nothing yet. */
export function whyHeld(name: string, { from, until }: HeldVersions): Reason {
  const time = until.toISOString().slice(11, 19);
  const message = `The on_trigger hooks of version ${from} of ${name} are running, until ${time} UTC at most.`;
  return { code: 'HooksRunning', message, data: { resource: name, version: from } };
}

/** Why a get with `passed` has no version, even apart from the other gets of the job. */
export function whyNotPassed({ name, pinned }: ResourceFacts, jobs: string[], { idOf }: RowIds): Reason {
  const data = { resource: name, jobs };
  if (pinned === undefined)
    return {
      code: 'NothingPassed',
      message: `No version of ${name} has passed ${formatList(jobs)} yet.`,
      data,
    };
  const version = idOf(pinned.version);
  const message = `${name} is pinned to version ${version}, which has not passed ${formatList(jobs)}.`;
  return { code: 'PinnedNotPassed', message, data: { ...data, version } };
}

/** Why a get has no version that fits those of its group: the gets that share upstream jobs with it. */
export function whyNoAgreement(resource: ResourceFacts, jobs: string[], group: readonly string[]): Reason {
  const together = formatList([...new Set(group)]);
  const message =
    `Versions of ${resource.name} have passed ${formatList(jobs)}, ` +
    `but no builds agree on ${together} together.`;
  return { code: 'NoAgreement', message, data: { resource: resource.name, jobs } };
}

/** Why the search gave up before it found a version of a get. */
export function whySearchStopped({ name }: ResourceFacts, jobs: string[]): Reason {
  const message =
    `The newest builds of ${formatList(jobs)} do not agree on a version of ${name}, ` +
    'and Millrace does not search older ones.';
  return { code: 'SearchTooDeep', message, data: { resource: name, jobs } };
}

import type { Held, ResourceFacts } from './facts.ts';
import { listed, type Reason } from './reasons.ts';

/** People know versions by their row ids. */
interface Ids {
  idOf: (version: number) => number;
}

/** Why a get without `passed` has no version. */
export function whyNoVersion({ name, pinned, disabled, held }: ResourceFacts, { idOf }: Ids): Reason {
  const data = { resource: name };
  if (pinned?.elsewhere) {
    const version = idOf(pinned.version);
    const message = `${name} is pinned to version ${version}, which was found before its source changed. Pin another one, or unpin it.`;
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
  return { code: 'NoVersion', message: `No version of ${name} is known yet.`, data };
}

/** Why the newest versions of a resource trigger nothing yet. */
export function whyHeld(name: string, { from, until }: Held): Reason {
  const time = until.toISOString().slice(11, 19);
  const message = `The on_trigger hooks of version ${from} of ${name} run until ${time} UTC at most.`;
  return { code: 'HooksRunning', message, data: { resource: name, version: from } };
}

/** Why a get with `passed` has no version though others of its group may have. */
export function whyNotPassed({ name, pinned }: ResourceFacts, jobs: string[], { idOf }: Ids): Reason {
  const data = { resource: name, jobs };
  if (pinned === undefined)
    return {
      code: 'NothingPassed',
      message: `No version of ${name} has passed ${listed(jobs)} yet.`,
      data,
    };
  const version = idOf(pinned.version);
  const message = `${name} is pinned to version ${version}, which has not passed ${listed(jobs)}.`;
  return { code: 'PinnedNotPassed', message, data: { ...data, version } };
}

/** Why a get has no version that fits those of the gets it shares upstream jobs with. */
export function whyNoAgreement(resource: ResourceFacts, jobs: string[], group: readonly string[]): Reason {
  const together = listed([...new Set(group)]);
  const message = `Versions of ${resource.name} have passed ${listed(jobs)}, but no builds agree on ${together} together.`;
  return { code: 'NoAgreement', message, data: { resource: resource.name, jobs } };
}

/** Why the search for a get ended before its end. */
export function whyTooDeep({ name }: ResourceFacts, jobs: string[]): Reason {
  const message = `The newest builds of ${listed(jobs)} do not agree on a version of ${name}, and older ones are not looked at.`;
  return { code: 'SearchTooDeep', message, data: { resource: name, jobs } };
}

/**
 * Why a job gets no build, a build waits, or a request is refused, by code. The codes are stable: the API,
 * Events and metrics carry them.
 */
export const REASONS = {
  PipelinePaused:
    'The pipeline is paused, and the job with it. ' +
    'Millrace creates and starts no build of the job until you unpause the pipeline or this job.',
  JobPaused: 'The job is paused. Millrace creates and starts no build of it until you unpause it.',
  NoTrigger: 'No get of the job has trigger = true: it runs only when somebody triggers it.',
  NoVersion:
    'A resource has no version yet: its check has not ended, failed or found none, or nothing checks it. ' +
    'Without `check_interval`, start a check with `millrace resources check`.',
  AllDisabled: 'Every version of a resource is disabled.',
  NothingPassed: 'No version of a resource is good in all jobs that passed names.',
  NoAgreement:
    'Each input has versions that passed. ' +
    'But inputs that share an upstream job must come from the same build of it, and no build has them all.',
  NewestNotPassed: 'The newest version of a resource has not passed the named jobs yet.',
  Pinned: 'A resource is pinned, so its newer versions trigger nothing.',
  PinnedNotPassed: 'A resource is pinned to a version that has not passed the named jobs.',
  PinnedDisabled: 'A resource is pinned to a version that is disabled.',
  PinnedUnknown:
    'A resource is pinned to a version that is not in its history. ' +
    'Either no check has found the version in the manifest yet, ' +
    'or the source of the resource has changed since.',
  QueueFull: 'Too many builds of the pipeline have not started. Millrace creates no more until fewer wait.',
  VersionDisabled: 'The requested version is disabled.',
  NotTaken: 'The job has no get without passed for that resource.',
  InputRequired: 'The job has an input without a default, and the trigger gives it no value.',
  InputUnknown: 'The trigger gives a value to an input that the job does not have.',
  InputInvalid: 'The trigger gives an input a value of another type, or one that is none of its options.',
  CheckFailed: 'A check for the trigger failed. The build uses the versions that were known before.',
  CheckLate:
    'A check for the trigger did not end in time. The build uses the versions that were known before.',
  NothingNew: 'Up to date: the job has had a build with every version that it can take.',
  BuildActive:
    'New versions are ready. Millrace builds them when a running automatic build of the job ends; ' +
    '`concurrency` of 2 or more allows several.',
  HooksRunning:
    'The on_trigger hooks of a new version run first. Automatic builds wait for them, 30 s at most.',
  SearchTooDeep:
    'Millrace searched only the newest builds for versions that belong together, and found none.',
  WaitingForApproval: 'The build waits for people to approve it.',
  Concurrency: 'As many builds of the job are running as its concurrency allows.',
  SerialGroup: 'A build of another job that shares a serial group is running.',
  SerialGroupQueue: 'An older build of another job that shares a serial group comes first.',
  Queued: 'The build waits for its turn. The oldest builds of its job come first.',
  StartWindow:
    'The maximum number of Pods is starting, or the team pauses after a start. The build starts by itself.',
  TeamLimit: 'As many builds of the team are running as its limit allows, or a new leader still counts them.',
  PodPending: 'The build has its turn; its Pod is not running yet.',
  QuotaExceeded: 'The namespace has no quota left for the Pod. The operator tries again.',
  Forbidden: 'The API server refused the Pod. The operator tries again.',
  NamespaceTerminating: 'The namespace is being deleted.',
  NameTaken:
    'A Pod that Millrace did not create has the name of this Pod. ' +
    'The build continues with the name of its next attempt; ' +
    'after the fifth, it waits until the name is free.',
  TagNotAllowed:
    'The Team does not allow a tag of the job: its spec.allowedTags does not list it. ' +
    'The operator tries again when the Team changes.',
  TagsConflict:
    "The job's tags contradict each other in the Team's spec.workers, so no Pod can have them all.",
  VolumeRefused:
    'A resource of the job needs a volume that the Team does not have, or writes to one that is read-only: ' +
    'see its spec.volumes. The operator tries again when the Team changes.',
  NoNodeForTags: 'No node that offers the tags can take the Pod.',
  Unschedulable: 'No node can take the Pod.',
  CacheUnavailable:
    'The volume of a cache was not ready in time. The next Pod of the build starts without caches.',
  ImagePullFailed: 'An image cannot be pulled, or its entrypoint cannot be looked up.',
  PodRefused: 'The node cannot start the Pod.',
  NotEnded: 'The build has not ended.',
  AlreadyEnded: 'The build has ended.',
  RetryDisabled: 'The job has disable_retry = true.',
  RetriedAlready: 'The build has a newer retry, and a webhook can retry only the newest.',
  RetryByMember:
    'Builds of the job need approval, so only members of the team may retry them, not a webhook.',
  WouldInterrupt: 'The retry would end another build, so only members of the team may retry, not a webhook.',
  JobRemoved: 'The pipeline no longer has this job.',
  NotDecided:
    'More requests for builds of the job wait than Millrace decides on at once. ' +
    'The request is kept, and may still get its build.',
  VersionGone: 'Retention removed a version that the build used.',
  NotWaiting: 'The build does not wait for approval.',
  VotedAlready: 'This person has already voted on the build.',
  OwnBuild: 'The person who triggered the build may not approve it.',
  ReasonMissing: 'A rejection needs a reason.',
  DebugNotAllowed: 'The team does not allow shells in its builds: its spec.debug is not true.',
  NoRunningStep: 'A shell needs a step that runs at the moment, and the name of one if several run.',
  DebugSessionsFull: 'As many shells are open in the build as it may have.',
  NotFailed: 'Only a build that failed can be marked as a warning.',
  ManagedByManifest: 'The Pipeline object sets this itself, and the object wins. Change its spec.',
} as const satisfies Record<string, string>;

export type ReasonCode = keyof typeof REASONS;

/** Reasons that need no action, so the status of a Pipeline object does not list them. */
export const ROUTINE_REASONS: ReadonlySet<ReasonCode> = new Set([
  'NoTrigger',
  'NothingNew',
  'BuildActive',
  'NewestNotPassed',
  'HooksRunning',
  'Queued',
  'PodPending',
  'StartWindow',
  'CacheUnavailable',
]);

/** Reasons that mostly last until somebody acts. Events about them are warnings. */
export const FAULT_REASONS: ReadonlySet<ReasonCode> = new Set([
  'AllDisabled',
  'NoAgreement',
  'PinnedNotPassed',
  'PinnedDisabled',
  'SearchTooDeep',
  'QueueFull',
  'QuotaExceeded',
  'Forbidden',
  'NamespaceTerminating',
  'NameTaken',
  'TagNotAllowed',
  'TagsConflict',
  'VolumeRefused',
  'NoNodeForTags',
  'Unschedulable',
  'ImagePullFailed',
  'PodRefused',
]);

/** A stable code, a sentence for people, and what the sentence is about. */
export interface Reason {
  code: ReasonCode;
  message: string;
  data?: ReasonData;
}

/** Versions are row ids. Lists are in the order of the sentence. */
interface ReasonData {
  resource?: string;
  version?: number;
  jobs?: string[];
  build?: { job: string; number: string };
  group?: string;
  have?: number;
  want?: number;
}

export const JOB_REMOVED: Reason = { code: 'JobRemoved', message: 'The pipeline no longer has this job.' };

/** For a request that a decision did not answer. */
export const NOT_DECIDED: Reason = {
  code: 'NotDecided',
  message:
    'Too many other requests for builds of the job wait, so this one is not decided yet. It may still get its ' +
    'build: look at the builds of the job before you trigger it again.',
};

/** The names as part of a sentence: `a`, `a and b`, `a, b and c`. */
export function formatList(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

import { defined } from '#defined';
import {
  podOwnership,
  wasRecordedPod,
  type Ownership,
  type RecordedPod,
} from '#domain/build/pod-ownership.ts';
import type { PodFacts } from './ports.ts';
import type { WarmPodRow } from './warm-ports.ts';
import type { BuildPodStore, OpenAttempt, OpenRun } from './workloads.ts';

/*
 * Verifies which Pods Millrace created, and for which work (see pod-ownership.ts). Anyone can create a Pod
 * with the labels of Millrace, so flows judge builds, checks and hooks only by Pods that were verified here,
 * and delete no other Pods.
 */

const VERIFIED = Symbol('verified');

/**
 * Millrace created this Pod, so flows may delete it. `leftover`: the work that the labels name has ended, is
 * unknown, or has another Pod.
 */
export interface OwnedPod extends PodFacts {
  readonly [VERIFIED]: 'own' | 'leftover';
}

/** The Pod of the build or run that its labels name. Flows judge the build or run by this Pod. */
export interface CurrentPod extends OwnedPod {
  readonly [VERIFIED]: 'own';
}

/** Remembers Pods that Millrace did not create, so that flows need not read the database for them again. */
export interface ForeignPods {
  has(pod: PodFacts): boolean;
  add(pod: PodFacts, message: string): void;
}

export interface VerifyPodPorts {
  builds: Pick<BuildPodStore, 'recordedPod'>;
  foreign: ForeignPods;
}

type BuildWork = PodFacts['work'] & { kind: 'build' };
export type PodVerification =
  | { verdict: 'own'; pod: CurrentPod }
  | { verdict: 'leftover'; pod: OwnedPod }
  | { verdict: 'foreign' };

const FOREIGN: PodVerification = { verdict: 'foreign' };

/**
 * Verifies a Pod whose labels name a build. A leftover counts as foreign while the attempt expects another
 * Pod.
 */
export async function verifyBuildPod(
  pod: PodFacts,
  work: BuildWork,
  ports: VerifyPodPorts,
): Promise<PodVerification> {
  if (ports.foreign.has(pod)) return FOREIGN;
  const recorded = await ports.builds.recordedPod(work.build, work.attempt);
  const ownership = podOwnership(pod, recorded);
  if (ownership.verdict === 'leftover' && recorded?.isExpected === true) return FOREIGN;
  return verificationFrom(pod, ownership, ports.foreign);
}

/** The deleted Pod; undefined if it was not the recorded Pod of an attempt. */
export async function verifyGoneBuildPod(
  lastSeen: PodFacts,
  work: BuildWork,
  ports: VerifyPodPorts,
): Promise<CurrentPod | undefined> {
  if (ports.foreign.has(lastSeen)) return undefined;
  return wasRecordedPod(lastSeen, await ports.builds.recordedPod(work.build, work.attempt))
    ? asCurrent(lastSeen)
    : undefined;
}

/**
 * Verifies a Pod whose labels say that it was created as a warm Pod. While no uid is recorded, a sealed Pod
 * is `own`; afterwards, only the Pod with the recorded uid is. Other sealed Pods count as foreign unless the
 * row has failed or is gone.
 */
export function verifyWarmPod(
  pod: PodFacts,
  row: WarmPodRow | undefined,
  foreign: ForeignPods,
): PodVerification {
  const ownership = podOwnership(pod, row && recordedForWarm(row));
  const isExpected = row !== undefined && row.state !== 'failed';
  if (ownership.verdict === 'leftover' && isExpected) return FOREIGN;
  return verificationFrom(pod, ownership, foreign);
}

/** The deleted Pod, if it is the recorded one. */
export function verifyGoneWarmPod(
  lastSeen: PodFacts,
  row: WarmPodRow | undefined,
  foreign: ForeignPods,
): CurrentPod | undefined {
  if (foreign.has(lastSeen)) return undefined;
  return wasRecordedPod(lastSeen, row && recordedForWarm(row)) ? asCurrent(lastSeen) : undefined;
}

function recordedForWarm({ namespace, state, podUid }: WarmPodRow): RecordedPod {
  return { namespace, isExpected: state === 'waiting', ...defined({ uid: podUid }) };
}

/**
 * Verifies a Pod whose labels name a run of checks or hooks, and that is not the Pod of an open run. Pods of
 * CronJobs count as foreign here: the CronJob deletes them.
 */
export function verifyStrayCheckPod(
  pod: PodFacts,
  runs: readonly OpenRun[],
  foreign: ForeignPods,
): PodVerification {
  const { work } = pod;
  if (work.kind !== 'checks' || work.run === undefined || foreign.has(pod)) return FOREIGN;
  const run = runs.find((open) => open.run === work.run);
  const ownership = podOwnership(pod, run && recordedForRun(run));
  if (run !== undefined && ownership.verdict === 'leftover') return FOREIGN;
  return verificationFrom(pod, ownership, foreign);
}

export function runOfPod(
  pod: PodFacts,
  runs: readonly OpenRun[],
): { run: OpenRun; pod: CurrentPod } | undefined {
  const run = runs.find((open) => isOfRun(pod, open));
  return run && { run, pod: asCurrent(pod) };
}

/** The run whose Pod was deleted. */
export function runOfGonePod(lastSeen: PodFacts, runs: readonly OpenRun[]): OpenRun | undefined {
  return runs.find((run) => isOfRun(lastSeen, run));
}

export function podOfRun(run: OpenRun, pods: readonly PodFacts[]): CurrentPod | undefined {
  const match = pods.find((pod) => isOfRun(pod, run));
  return match && asCurrent(match);
}

/**
 * Finds the Pod of a current attempt that had its turn. If a uid is recorded, only the uid counts, because
 * labels can change.
 */
export function podOfAttempt(attempt: OpenAttempt, pods: readonly PodFacts[]): CurrentPod | undefined {
  const recorded = { namespace: attempt.namespace, isExpected: true, ...uidOf(attempt) };
  const match = pods.find(
    (pod) =>
      (attempt.podUid !== undefined || isOfAttempt(pod, attempt)) &&
      podOwnership(pod, recorded).verdict === 'own',
  );
  return match && asCurrent(match);
}

function isOfAttempt({ work }: PodFacts, { id, attempt }: OpenAttempt): boolean {
  return work.kind === 'build' && work.build === id && work.attempt === attempt;
}

function isOfRun(pod: PodFacts, run: OpenRun): boolean {
  const isNamed = pod.work.kind === 'checks' && pod.work.run === run.run;
  return (isNamed || run.podUid !== undefined) && podOwnership(pod, recordedForRun(run)).verdict === 'own';
}

function recordedForRun(run: OpenRun): RecordedPod {
  return { namespace: run.namespace, isExpected: true, ...uidOf(run) };
}

function uidOf({ podUid }: { podUid?: string }): Pick<RecordedPod, 'uid'> {
  return podUid === undefined ? {} : { uid: podUid };
}

function verificationFrom(pod: PodFacts, ownership: Ownership, foreign: ForeignPods): PodVerification {
  switch (ownership.verdict) {
    case 'own':
      return { verdict: 'own', pod: asCurrent(pod) };
    case 'leftover':
      return { verdict: 'leftover', pod: { ...pod, [VERIFIED]: 'leftover' } };
    case 'foreign':
    default:
      foreign.add(pod, ownership.message);
      return FOREIGN;
  }
}

function asCurrent(pod: PodFacts): CurrentPod {
  return { ...pod, [VERIFIED]: 'own' };
}

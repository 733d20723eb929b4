import { wakeLateTriggers } from '#adapters/database/checks/trigger-checks.ts';
import { withEpoch } from '#adapters/database/connection/fence.ts';
import type { Database } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import {
  attemptFacts,
  buildState,
  explainPending,
  recordedPod,
  openAttempts,
  podCreated,
  writeStartTimes,
} from './build-attempts.ts';
import { buildsToStart, explainHeld, startingPods } from './builds-to-start.ts';
import { approvalsWithTimeout, endExpiredApprovals } from './expire-approvals.ts';
import { explainFull, nextStartMs, tryAllRefused, tryRefused } from './refused-builds.ts';
import { pipelinesToSchedule, withPipeline } from './scheduling/schedule.ts';
import {
  triggerAnswer,
  withRequest,
  withRequestAfterChecks,
  withWaitEnded,
} from './scheduling/trigger-requests.ts';
import { withVersionRequests } from './scheduling/trigger-version.ts';
import { teamsWithQueue, withQueue } from './team-queue.ts';
import { withBuild } from './with-build.ts';

export function buildStore(database: Database & { definitions: Definitions }): BuildStore {
  return {
    pipelinesToSchedule: (limit) => pipelinesToSchedule(database, limit),
    withPipeline: (pipeline, work) => withPipeline(database, pipeline, work),
    withRequest: (job, request, work) => withRequest(database, { job, ...request }, work),
    withRequestAfterChecks: (job, request, work) =>
      withRequestAfterChecks(database, { job, ...request }, work),
    withWaitEnded: (waits, work) => withWaitEnded(database, waits, work),
    withVersionRequests: (name, request, work) => withVersionRequests(database, { name, request }, work),
    triggerAnswer: (waits) => triggerAnswer(database, waits),
    wakeLateTriggers: () => withEpoch(database, wakeLateTriggers),
    approvalsWithTimeout: () => approvalsWithTimeout(database),
    expireApprovals: (pipeline, builds, at) => endExpiredApprovals(database, { pipeline, builds, at }),
    teamsWithQueue: () => teamsWithQueue(database),
    withQueue: (team, work) => withQueue(database, team, work),
    buildsToStart: (limit, except) => buildsToStart(database, limit, except),
    startingPods: () => startingPods(database),
    explainHeld: (held) => explainHeld(database, held),
    nextStartMs: () => nextStartMs(database),
    explainFull: (namespace, reason) => explainFull(database, namespace, reason),
    tryRefused: (namespace) => tryRefused(database, namespace),
    tryAllRefused: (namespace) => tryAllRefused(database, namespace),
    podCreated: (build, attempt, podUid, at) => podCreated(database, { build, attempt, podUid, at }),
    recordStart: (attempt, podUid, times) => writeStartTimes(database, { ...attempt, podUid }, times),
    explainPending: (build, reason) => explainPending(database, build, reason),
    recordedPod: (build, attempt) => recordedPod(database, build, attempt),
    attemptFacts: (build, attempt) => attemptFacts(database, build, attempt),
    withBuild: (build, options, work) => withBuild(database, { build, ...options }, work),
    openAttempts: () => openAttempts(database),
    buildState: (build, attempt) => buildState(database, build, attempt),
  };
}

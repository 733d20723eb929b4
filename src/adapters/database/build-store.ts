import type { BuildStore } from '#flows/ports.ts';
import { admit, teamsWithQueue } from './admit-builds.ts';
import { applyEvents } from './apply-events.ts';
import {
  attemptFacts,
  buildState,
  explainPending,
  givenPod,
  openAttempts,
  podCreated,
} from './build-attempts.ts';
import { buildsToStart, explainHeld, startingBuilds } from './builds-to-start.ts';
import type { Definitions } from './definitions.ts';
import { endBuild, retryBuild } from './end-build.ts';
import type { Database } from './pool.ts';
import { expireApprovals } from './expire-approvals.ts';
import { explainFull, nextStartMs, tryAllRefused, tryRefused } from './put-off-builds.ts';
import { pipelinesToSchedule, schedule, trigger } from './schedule.ts';
import { endTriggerWait, triggerAfterChecks, triggerAnswer } from './trigger-after-checks.ts';
import { wakeLateTriggers } from './trigger-checks.ts';

export function buildStore(database: Database & { definitions: Definitions }): BuildStore {
  return {
    pipelinesToSchedule: (limit) => pipelinesToSchedule(database, limit),
    schedule: (pipeline, decide, at) => schedule(database, { pipeline, decide, at }),
    trigger: (job, by, decide, at) => trigger(database, { job, by, decide, at }),
    triggerAfterChecks: (job, asked, decide, at) =>
      triggerAfterChecks(database, { job, ...asked, decide, at }),
    triggerAnswer: (waits) => triggerAnswer(database, waits),
    endTriggerWait: (waits, decide, at) => endTriggerWait(database, { waits, decide, at }),
    wakeLateTriggers: () => wakeLateTriggers(database.pool),
    expireApprovals: (at) => expireApprovals(database, at),
    teamsWithQueue: () => teamsWithQueue(database),
    admit: (team, decide, at) => admit(database, { team, decide, at }),
    buildsToStart: (limit, except) => buildsToStart(database, limit, except),
    startingBuilds: () => startingBuilds(database),
    explainHeld: (held) => explainHeld(database, held),
    nextStartMs: () => nextStartMs(database),
    explainFull: (namespace, reason) => explainFull(database, namespace, reason),
    tryRefused: (namespace) => tryRefused(database, namespace),
    tryAllRefused: (namespace) => tryAllRefused(database, namespace),
    podCreated: (build, attempt, podUid, at) => podCreated(database, { build, attempt, podUid, at }),
    explainPending: (build, reason) => explainPending(database, build, reason),
    givenPod: (build, attempt) => givenPod(database, build, attempt),
    attemptFacts: (build, attempt) => attemptFacts(database, build, attempt),
    applyEvents: (build, attempt, events, apply) => applyEvents(database, { build, attempt, events, apply }),
    endBuild: (build, attempt, end) => endBuild(database, { build, attempt, end }),
    retryBuild: (build, attempt, over) => retryBuild(database, { build, attempt, over }),
    openAttempts: () => openAttempts(database),
    buildState: (build, attempt) => buildState(database, build, attempt),
  };
}

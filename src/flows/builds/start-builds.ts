import { defined } from '#defined';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { StartingPod } from '#domain/scheduling/start-window.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { CreatePodAnswer } from '#flows/pods/ports.ts';
import { requestBuildPod, type RequestBuildPodPorts } from '#flows/pods/request-pod.ts';
import { gatherStarting, pickBuilds, type WindowPorts } from '#flows/pods/start-window.ts';
import { takeWarmPod, type TakeWarmPorts, type WarmResult } from '#flows/pods/take-warm-pod.ts';
import type { PendingBuild } from '#flows/pods/workloads.ts';
import { endBuild, retryAttempt } from './end-build.ts';
import { expireApprovals, giveTurnsToTeam } from './give-turns.ts';
import type { BuildStore } from './ports.ts';
import type { TurnStore } from './turn-ports.ts';

interface Ports extends WindowPorts, Pick<RequestBuildPodPorts, 'caches'>, Pick<TakeWarmPorts, 'warmPods'> {
  builds: WindowPorts['builds'] &
    Pick<
      BuildStore,
      | keyof TurnStore
      | 'buildsToStart'
      | 'nextStartMs'
      | 'podCreated'
      | 'explainPending'
      | 'explainFull'
      | 'explainHeld'
      | 'tryRefused'
      | 'withBuild'
    >;
  notifications: Pick<Notifications, 'notify'>;
  cluster: WindowPorts['cluster'] & RequestBuildPodPorts['cluster'] & TakeWarmPorts['cluster'];
  /**
   * Called for each build that got a Pod, if its Team keeps warm Pods. Only `hit` means that the Pod was a
   * warm Pod.
   */
  warmResult?: (result: WarmResult) => void;
}

export interface BuildsStarted {
  started: PendingBuild[];
  /** Builds whose Pods could not be requested. The next call tries these builds again. */
  failures: { build: PendingBuild; error: unknown }[];
  /**
   * Namespaces in which builds wait because a quota or the Team's limit is reached. When a Pod ends in one of
   * them, call again with that namespace in `freedNamespaces`.
   */
  fullNamespaces: string[];
  /**
   * Milliseconds until the next delayed build is due, or until a build that the start window holds is tried
   * again.
   */
  againAfterMs?: number;
  /**
   * Pods that were starting before this call or were created by it, and builds that the start window holds.
   */
  window: { starting: number; held: number };
}

interface Progress {
  started: PendingBuild[];
  failures: BuildsStarted['failures'];
  fullNamespaces: Set<string>;
  /** Namespaces that the rest of this call skips, and the reason why no other Pod can start there. */
  skippedNamespaces: Map<string, string>;
  /** Number of Pods that a quota refused in this call, by namespace. */
  quotaRefusals: Map<string, number>;
  starting: StartingPod[];
  held: Map<number, { build: PendingBuild; reason: Reason }>;
  /** Builds that got no warm Pod in this call, by row id, and why. */
  missed: Map<number, WarmResult>;
}

/** Builds that are read at a time: the oldest of each team first. */
const MAX_BUILDS_READ = 128;
const MAX_CONCURRENT_REQUESTS = 32;
/**
 * A build whose Pod name is taken gets another attempt, and with it another Pod name, up to this number of
 * attempts. The last attempt waits until its name is free.
 */
const MAX_ATTEMPTS_FOR_NAME = 5;
/**
 * After this number of refusals for lack of quota, a call skips a namespace. Not after the first refusal,
 * because a smaller Pod may still fit.
 */
const MAX_QUOTA_REFUSALS = 4;
/**
 * Delay before builds that the start window holds are tried again. They need a timer, because no notification
 * reports that an agent has started, or that the pause of a team has ended.
 */
const HELD_AGAIN_MS = 250;

/**
 * Gives turns to queued builds, and gives each build with a turn a warm Pod or a new Pod, as far as quotas,
 * limits and the start window allow. If the operator dies before it records a Pod, the next call finds that
 * Pod: its name and contents derive from build and attempt. Builds of a Team at its limit keep their order
 * and wait for the next call. `freedNamespaces`: full namespaces in which a Pod has ended since the last
 * call.
 */
export async function startBuilds(ports: Ports, freedNamespaces: string[] = []): Promise<BuildsStarted> {
  const progress: Progress = {
    started: [],
    failures: [],
    fullNamespaces: new Set(),
    skippedNamespaces: new Map(),
    quotaRefusals: new Map(),
    starting: await gatherStarting(ports),
    held: new Map(),
    missed: new Map(),
  };
  for (const namespace of freedNamespaces)
    if ((await ports.builds.tryRefused(namespace)) > 0) progress.fullNamespaces.add(namespace);
  await startBuildsWithTurn(ports, progress);
  await giveTurns(ports, progress);
  for (const [namespace, reason] of progress.skippedNamespaces)
    await ports.builds.explainFull(namespace, reason);
  await explainHeld(ports, progress);
  const { started, failures, fullNamespaces, held, starting } = progress;
  const nextMs = await ports.builds.nextStartMs();
  const againAfterMs = held.size === 0 ? nextMs : Math.min(nextMs ?? Infinity, HELD_AGAIN_MS);
  const window = { starting: starting.filter(({ state }) => state === 'starting').length, held: held.size };
  return {
    started,
    failures,
    fullNamespaces: [...fullNamespaces],
    window,
    ...defined({ againAfterMs }),
  };
}

/** Starts builds that have had their turn, until no other build can start now. */
async function startBuildsWithTurn(ports: Ports, progress: Progress): Promise<void> {
  for (;;) {
    const failed = new Set(progress.failures.map((failure) => failure.build.id));
    const skipped = [...progress.skippedNamespaces.keys()];
    const pending = await ports.builds.buildsToStart(MAX_BUILDS_READ + failed.size, skipped);
    const toStart = pending.filter((build) => !failed.has(build.id));
    const withoutWarmPod = await takeWarmPods(toStart, { ports, progress });
    if (withoutWarmPod.length < toStart.length) continue;
    const { start, held, refused } = pickBuilds(toStart, progress.starting, ports);
    progress.held = new Map(held.map(({ work, reason }) => [work.build.id, { build: work.build, reason }]));
    if (start.length + refused.length === 0) return;
    // A Pod that the Team's rules refuse is requested too: `recordRefusal` then records the reason. No such
    // Pod is created, so its nodes do not matter.
    const toRequest = [...refused.map((build) => ({ build, nodes: '' })), ...start];
    await Promise.all(
      toRequest
        .slice(0, MAX_CONCURRENT_REQUESTS)
        .map(async ({ build, nodes }) => await startBuild(build, nodes, { ports, progress })),
    );
  }
}

/** Lets builds take warm Pods. Returns the builds that got none. */
async function takeWarmPods(
  pending: readonly PendingBuild[],
  { ports, progress }: { ports: Ports; progress: Progress },
): Promise<PendingBuild[]> {
  const results = await Promise.all(
    pending.map(async (build): Promise<WarmResult | 'failed'> => {
      const earlierMiss = progress.missed.get(build.id);
      if (earlierMiss !== undefined) return earlierMiss;
      const result = await tryWarmPod(build, { ports, progress });
      if (result === 'hit') {
        progress.started.push(build);
        ports.warmResult?.(result);
      } else if (result !== 'failed') progress.missed.set(build.id, result);
      return result;
    }),
  );
  return pending.filter((_, index) => results[index] !== 'hit' && results[index] !== 'failed');
}

/** After an error, the build may have a warm Pod, so this call creates no other Pod for it. */
async function tryWarmPod(
  build: PendingBuild,
  { ports, progress }: { ports: Ports; progress: Progress },
): Promise<WarmResult | 'failed'> {
  try {
    return await takeWarmPod(build, ports);
  } catch (error) {
    progress.failures.push({ build, error });
    return 'failed';
  }
}

/**
 * Fails builds whose approval timed out. Then gives turns to queued builds, one team after another. The
 * builds of a team start before the queue of the next team is read.
 */
async function giveTurns(ports: Ports, progress: Progress): Promise<void> {
  const { builds, notifications, now } = ports;
  for (const pipeline of await expireApprovals(builds, now())) {
    notifications.notify({ topic: 'schedule', pipeline });
    notifications.notify({ topic: 'status', pipeline });
  }
  let teams = await builds.teamsWithQueue();
  while (teams.length > 0) {
    const teamsWithMore: number[] = [];
    for (const team of teams) {
      const { builds: turns, more, pipelines } = await giveTurnsToTeam(team, builds, now());
      if (more) teamsWithMore.push(team);
      if (turns > 0) await startBuildsWithTurn(ports, progress);
      for (const pipeline of pipelines) notifications.notify({ topic: 'status', pipeline });
    }
    teams = teamsWithMore;
  }
}

async function startBuild(
  build: PendingBuild,
  nodes: string,
  { ports, progress }: { ports: Ports; progress: Progress },
): Promise<void> {
  try {
    const answer = await requestBuildPod(build, ports);
    if (answer.answer === 'refused') {
      await recordRefusal(build, answer, { ports, progress });
    } else {
      await ports.builds.podCreated(build.id, build.attempt, answer.uid, ports.now());
      progress.started.push(build);
      progress.starting.push({ team: build.team, nodes, state: 'starting', age: 0 });
      const missed = progress.missed.get(build.id);
      if (missed !== undefined && missed !== 'off') ports.warmResult?.(missed);
    }
    ports.notifications.notify({ topic: 'status', pipeline: build.pipelineId });
  } catch (error) {
    progress.failures.push({ build, error });
  }
}

/** Records why the start window holds builds, and notifies of each pipeline with a changed reason. */
async function explainHeld({ builds, notifications }: Ports, { held }: Progress): Promise<void> {
  if (held.size === 0) return;
  const changed = await builds.explainHeld(
    [...held].map(([build, { reason }]) => ({ build, code: reason.code, reason: reason.message })),
  );
  const pipelines = changed.flatMap((build) => held.get(build)?.build.pipelineId ?? []);
  for (const pipeline of new Set(pipelines)) notifications.notify({ topic: 'status', pipeline });
}

/**
 * A Pod that the API server can never accept ends the build. Otherwise the build stays pending with the
 * reason.
 */
async function recordRefusal(
  build: PendingBuild,
  { reason, message }: CreatePodAnswer & { answer: 'refused' },
  { ports, progress }: { ports: Ports; progress: Progress },
): Promise<void> {
  const { builds, notifications, now } = ports;
  const { namespace } = build;
  const ref = { build: build.id, attempt: build.attempt };
  if (reason === 'TeamLimit' || reason === 'QuotaExceeded') progress.fullNamespaces.add(namespace);
  if (reason === 'TeamLimit') {
    progress.skippedNamespaces.set(namespace, `${reason}: ${message}`);
    return;
  }
  if (reason === 'NameTaken' && build.attempt < MAX_ATTEMPTS_FOR_NAME) {
    // The next attempt has another Pod name.
    await retryAttempt(ref, { reason: `${reason}: ${message}`, at: now() }, builds);
    return;
  }
  if (reason === 'QuotaExceeded') countQuotaRefusal(namespace, `${reason}: ${message}`, progress);
  if (reason !== 'Invalid') return await builds.explainPending(build.id, `${reason}: ${message}`);
  await endBuild(ref, { outcome: 'failed', reason: 'PodRefused', message, at: now() }, builds);
  notifications.notify({ topic: 'schedule', pipeline: build.pipelineId });
}

/**
 * After `MAX_QUOTA_REFUSALS`, skips the rest of the namespace in this call. Otherwise a team with 10,000
 * queued builds would cause 10,000 refused requests.
 */
function countQuotaRefusal(
  namespace: string,
  reason: string,
  { quotaRefusals, skippedNamespaces }: Progress,
): void {
  const refusals = (quotaRefusals.get(namespace) ?? 0) + 1;
  quotaRefusals.set(namespace, refusals);
  if (refusals >= MAX_QUOTA_REFUSALS) skippedNamespaces.set(namespace, reason);
}

import { startQueued } from '#domain/scheduling/start-queued.ts';
import type { Cluster, CreatePodAnswer } from './cluster-ports.ts';
import type { Bell, BuildStore, PendingBuild } from './ports.ts';

interface Ports {
  builds: Pick<
    BuildStore,
    | 'expireApprovals'
    | 'teamsWithQueue'
    | 'admit'
    | 'buildsToStart'
    | 'nextStartMs'
    | 'podCreated'
    | 'explainPending'
    | 'explainFull'
    | 'tryRefused'
    | 'endBuild'
    | 'retryBuild'
  >;
  cluster: Pick<Cluster, 'createBuildPod'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

export interface Started {
  started: PendingBuild[];
  /** Pods that could not be asked for; tried again next time. */
  failures: { build: PendingBuild; error: unknown }[];
  /** Namespaces in which builds wait for room: worth another look when a Pod there ends. */
  short: string[];
  /** When the next of the builds that are put off is to start. */
  againAfterMs?: number;
}

interface Doing {
  started: PendingBuild[];
  failures: Started['failures'];
  short: Set<string>;
  /** Namespaces whose Team is at its limit, and how that is said. */
  full: Map<string, string>;
}

const AT_ONCE = 32;
/** Whoever takes this many names takes more: from then on the build waits until its name is free. */
const MAX_ATTEMPTS_FOR_NAME = 5;

/**
 * A Pod for each pending build, oldest first, some at a time. After a crash between the Pod and its record the same Pod is met again,
 * since its name and its contents follow from build and attempt. A Team at its limit is left out until the next look, so that its
 * builds keep their order and hold nobody up. `room`: namespaces in which a Pod has ended since some were short of room.
 */
export async function startBuilds(ports: Ports, room: string[] = []): Promise<Started> {
  const doing: Doing = { started: [], failures: [], short: new Set(), full: new Map() };
  for (const namespace of room)
    if ((await ports.builds.tryRefused(namespace)) > 0) doing.short.add(namespace);
  await startReady(ports, doing);
  if (await giveTurns(ports)) await startReady(ports, doing);
  for (const [namespace, reason] of doing.full) await ports.builds.explainFull(namespace, reason);
  const againAfterMs = await ports.builds.nextStartMs();
  const { started, failures, short } = doing;
  return { started, failures, short: [...short], ...(againAfterMs === undefined ? {} : { againAfterMs }) };
}

async function startReady(ports: Ports, doing: Doing): Promise<void> {
  for (;;) {
    const failed = new Set(doing.failures.map((failure) => failure.build.id));
    const pending = await ports.builds.buildsToStart(AT_ONCE + failed.size, [...doing.full.keys()]);
    const fresh = pending.filter((build) => !failed.has(build.id));
    if (fresh.length === 0) return;
    await Promise.all(fresh.map(async (build) => await startOne(build, ports, doing)));
  }
}

/** Whose turn it is now. Answers whether it is anybody's. */
async function giveTurns({ builds, bell, now }: Pick<Ports, 'builds' | 'bell' | 'now'>): Promise<boolean> {
  let admitted = 0;
  for (const pipeline of await builds.expireApprovals(now())) {
    bell.ring('schedule', pipeline);
    bell.ring('status', pipeline);
  }
  for (const team of await builds.teamsWithQueue()) {
    const changed = new Set<number>();
    for (;;) {
      const { builds: started, more, pipelines } = await builds.admit(team, startQueued, now());
      admitted += started;
      for (const pipeline of pipelines) changed.add(pipeline);
      if (!more) break;
    }
    for (const pipeline of changed) bell.ring('status', pipeline);
  }
  return admitted > 0;
}

async function startOne(build: PendingBuild, ports: Ports, doing: Doing): Promise<void> {
  try {
    const answer = await ports.cluster.createBuildPod(build);
    if (answer.answer === 'refused') {
      await refuse(build, answer, { ...ports, doing });
    } else {
      await ports.builds.podCreated(build.id, build.attempt, answer.uid, ports.now());
      doing.started.push(build);
    }
    ports.bell.ring('status', build.pipelineId);
  } catch (error) {
    doing.failures.push({ build, error });
  }
}

/** A Pod that the API server can never accept ends the build; what may change leaves it pending, with the reason. */
async function refuse(
  build: PendingBuild,
  { reason, message }: CreatePodAnswer & { answer: 'refused' },
  { builds, bell, now, doing }: Ports & { doing: Doing },
): Promise<void> {
  if (reason === 'TeamLimit' || reason === 'QuotaExceeded') doing.short.add(build.namespace);
  if (reason === 'TeamLimit') {
    doing.full.set(build.namespace, `${reason}: ${message}`);
    return;
  }
  if (reason === 'NameTaken' && build.attempt < MAX_ATTEMPTS_FOR_NAME) {
    // The next attempt has another name.
    await builds.retryBuild(build.id, build.attempt, { reason: `${reason}: ${message}`, at: now() });
    return;
  }
  if (reason !== 'Invalid') return await builds.explainPending(build.id, `${reason}: ${message}`);
  await builds.endBuild(build.id, build.attempt, {
    outcome: 'failed',
    reason: 'PodRefused',
    message,
    at: now(),
  });
  bell.ring('schedule', build.pipelineId);
}

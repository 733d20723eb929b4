import type { Bell, BuildStore, Cluster, CreatePodAnswer, PendingBuild } from './ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'buildsToStart' | 'podCreated' | 'explainPending' | 'endBuild'>;
  cluster: Pick<Cluster, 'createBuildPod'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

export interface Started {
  started: PendingBuild[];
  /** Pods that could not be asked for; tried again next time. */
  failures: { build: PendingBuild; error: unknown }[];
}

const AT_ONCE = 32;

/**
 * A Pod for each pending build, oldest first, some at a time. After a crash between the Pod and its record the same Pod is met again,
 * since its name and its contents follow from build and attempt.
 */
export async function startBuilds(ports: Ports): Promise<Started> {
  const done: Started = { started: [], failures: [] };
  for (;;) {
    const failed = new Set(done.failures.map((failure) => failure.build.id));
    const pending = await ports.builds.buildsToStart(AT_ONCE + failed.size);
    const fresh = pending.filter((build) => !failed.has(build.id));
    if (fresh.length === 0) return done;
    await Promise.all(fresh.map(async (build) => await startOne(build, ports, done)));
  }
}

async function startOne(build: PendingBuild, ports: Ports, done: Started): Promise<void> {
  try {
    const answer = await ports.cluster.createBuildPod(build);
    if (answer.answer === 'refused') {
      await refuse(build, answer, ports);
    } else {
      await ports.builds.podCreated(build.id, build.attempt, answer.uid, ports.now());
      done.started.push(build);
    }
    ports.bell.ring('status', build.pipelineId);
  } catch (error) {
    done.failures.push({ build, error });
  }
}

/** A Pod that the API server can never accept ends the build; what may change leaves it pending, with the reason. */
async function refuse(
  build: PendingBuild,
  { reason, message }: CreatePodAnswer & { answer: 'refused' },
  { builds, bell, now }: Ports,
): Promise<void> {
  if (reason !== 'Invalid') return await builds.explainPending(build.id, `${reason}: ${message}`);
  await builds.endBuild(build.id, build.attempt, {
    outcome: 'failed',
    reason: 'PodRefused',
    message,
    at: now(),
  });
  bell.ring('schedule', build.pipelineId);
}

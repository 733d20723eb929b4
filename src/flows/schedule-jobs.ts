import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { Notifications } from './notification-ports.ts';
import type { BuildRef, BuildStore } from './ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'pipelinesToSchedule' | 'schedule' | 'wakeLateTriggers'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

export interface Scheduled {
  builds: BuildRef[];
  /** Versions wait for their hooks. */
  held: boolean;
  /** A pipeline has more builds due than were made: decide on it again at once. */
  more: boolean;
  /** Pipelines that could not be decided on; the others were. They are tried again next time. */
  failures: { pipeline: number; error: unknown }[];
}

const AT_ONCE = 50;

/** Decides on all pipelines that want it, until none does. Requests that come meanwhile are seen in the next round. */
export async function scheduleJobs(ports: Ports): Promise<Scheduled> {
  const done: Scheduled = { builds: [], held: false, more: false, failures: [] };
  await ports.builds.wakeLateTriggers();
  for (;;) {
    const wanting = await ports.builds.pipelinesToSchedule(AT_ONCE + done.failures.length);
    const failed = new Set(done.failures.map((failure) => failure.pipeline));
    const fresh = wanting.filter((pipeline) => !failed.has(pipeline));
    if (fresh.length === 0) return { ...done, more: false };
    for (const pipeline of fresh) await scheduleOne(pipeline, ports, done);
  }
}

/** The short way after a hint that names the pipeline. */
export async function schedulePipeline(pipeline: number, ports: Ports): Promise<Scheduled> {
  const done: Scheduled = { builds: [], held: false, more: false, failures: [] };
  await scheduleOne(pipeline, ports, done);
  return done;
}

async function scheduleOne(
  pipeline: number,
  { builds, notifications, now }: Ports,
  done: Scheduled,
): Promise<void> {
  try {
    const made = await builds.schedule(pipeline, decideBuilds, now());
    done.held ||= made.held;
    done.more ||= made.more;
    for (const build of made.interrupted) notifications.notify({ topic: 'cancel', build });
    if (made.builds.length === 0) return;
    done.builds.push(...made.builds);
    notifications.notify({ topic: 'builds' });
    notifications.notify({ topic: 'status', pipeline });
  } catch (error) {
    done.failures.push({ pipeline, error });
  }
}

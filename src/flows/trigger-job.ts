import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import { MAX_CHECK_WAIT_MS } from '#domain/scheduling/why-not-checked.ts';
import type { Heard, Notifications } from './notification-ports.ts';
import type { BuildStore, JobName } from './ports.ts';
import type { TriggerAnswer, TriggerWaits } from './trigger-ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'trigger'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/** A person wants a build: it is there when this answers, or the reason of every input that stands against it is. */
export async function triggerJob(job: JobName, by: string, ports: Ports): Promise<TriggerAnswer> {
  const answer = await ports.builds.trigger(job, by, decideBuilds, ports.now());
  wake(answer, ports.notifications);
  return answer;
}

interface CheckPorts {
  builds: Pick<BuildStore, 'triggerAfterChecks' | 'triggerAnswer' | 'endTriggerWait'>;
  notifications: Notifications;
  now: () => Date;
  /** Resolves after so long, or when the signal is given. */
  sleep: (milliseconds: number, until: AbortSignal) => Promise<void>;
}

/** What a lost hint costs. */
const LOOK_AGAIN_MS = 1000;

/**
 * The same with the versions that checks find first. The request is durable: if nobody is left to wait for it, the scheduler answers it once
 * the checks have ended or their time is over.
 */
export async function triggerJobAfterChecks(
  job: JobName,
  by: string,
  ports: CheckPorts,
): Promise<TriggerAnswer> {
  const { builds, notifications, now } = ports;
  const asked = { by, waitMs: MAX_CHECK_WAIT_MS };
  const first = await builds.triggerAfterChecks(job, asked, decideBuilds, now());
  if (first.answer !== 'checking') {
    wake(first, notifications);
    return first;
  }
  notifications.notify({ topic: 'checks' });
  const until = now().getTime() + MAX_CHECK_WAIT_MS;
  const answer =
    (await waitForAnswer(first, until, ports)) ?? (await builds.endTriggerWait(first, decideBuilds, now()));
  wake(answer, notifications);
  return answer;
}

async function waitForAnswer(
  waits: TriggerWaits,
  until: number,
  { builds, notifications, now, sleep }: CheckPorts,
): Promise<TriggerAnswer | undefined> {
  let heard = new AbortController();
  const stop = notifications.listen(['schedule', 'status'], (notification) => {
    if (mayAnswer(notification, waits)) heard.abort();
  });
  try {
    for (let left = until - now().getTime(); left > 0; left = until - now().getTime()) {
      await sleep(Math.min(left, LOOK_AGAIN_MS), heard.signal);
      heard = new AbortController();
      const answer = await builds.triggerAnswer(waits);
      if (answer.answer !== 'checking') return answer;
    }
    return undefined;
  } finally {
    stop();
  }
}

function mayAnswer(notification: Heard<'schedule' | 'status'>, { pipelineId }: TriggerWaits): boolean {
  if (notification.topic === 'missed') return true;
  return notification.pipeline === 'all' || notification.pipeline === pipelineId;
}

function wake(answer: TriggerAnswer, notifications: Pick<Notifications, 'notify'>): void {
  if (answer.answer !== 'created') return;
  for (const build of answer.interrupted) notifications.notify({ topic: 'cancel', build });
  notifications.notify({ topic: 'builds' });
}

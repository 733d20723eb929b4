import { defined } from '#defined';
import type { DecidedBuilds } from '#domain/scheduling/decision.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import { NOT_DECIDED } from '#domain/scheduling/reasons.ts';
import { MAX_CHECK_WAIT_MS } from '#domain/scheduling/why-not-checked.ts';
import type { JobName } from '#flows/names.ts';
import type { Notifications, ReceivedNotification } from '#flows/notification-ports.ts';
import { decideAndWrite } from './decide-with-pages.ts';
import type { BuildStore } from './ports.ts';
import { buildRefOf } from './schedule-jobs.ts';
import type { RequestedBuild, RequestTransaction, TriggerAnswer, TriggerWaits } from './trigger-ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'withRequest'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/** Who triggers the job, and the values that they give to its inputs. */
type JobRequest = Omit<RequestedBuild, 'at'>;

/** Creates a build that a person requests, or returns every reason why the job can have none. */
export async function triggerJob(job: JobName, request: JobRequest, ports: Ports): Promise<TriggerAnswer> {
  const at = ports.now();
  const answer = await ports.builds.withRequest(
    job,
    { ...request, at },
    async (tx): Promise<TriggerAnswer> => (await answerRequest(tx, at)) ?? LEFT_OPEN,
  );
  notifyOfTrigger(answer, ports.notifications);
  return answer ?? { answer: 'unknown' };
}

/** A decision reads a limited number of requests, so it can leave one open. A later decision answers it. */
const LEFT_OPEN: TriggerAnswer = { answer: 'refused', reasons: [NOT_DECIDED] };

interface CheckPorts {
  builds: Pick<BuildStore, 'withRequestAfterChecks' | 'triggerAnswer' | 'withWaitEnded'>;
  notifications: Notifications;
  now: () => Date;
  /** Resolves after this time, or when the signal aborts. */
  sleep: (milliseconds: number, wakeUp: AbortSignal) => Promise<void>;
}

/** The answer is read at least this often, because a notification may be lost. */
const READ_AGAIN_MS = 1000;

/**
 * First checks the resources that the job gets without `passed`, then creates the build with the versions
 * found. The request is durable: if this process dies, the scheduler answers it once the checks have ended or
 * timed out.
 */
export async function triggerJobAfterChecks(
  job: JobName,
  request: JobRequest,
  ports: CheckPorts,
): Promise<TriggerAnswer> {
  const { notifications, now } = ports;
  const first = await requestAfterChecks(job, { ...request, waitMs: MAX_CHECK_WAIT_MS }, ports);
  if (first.answer !== 'checking') {
    notifyOfTrigger(first, notifications);
    return first;
  }
  notifications.notify({ topic: 'checks' });
  const deadline = now().getTime() + MAX_CHECK_WAIT_MS;
  const answer = (await waitForAnswer(first, deadline, ports)) ?? (await endTriggerWait(first, ports));
  notifyOfTrigger(answer, notifications);
  return answer;
}

/** Requests the checks and the build. Answers at once if there is nothing to check. */
export async function requestAfterChecks(
  job: JobName,
  request: JobRequest & { waitMs: number },
  { builds, now }: Pick<CheckPorts, 'now'> & { builds: Pick<BuildStore, 'withRequestAfterChecks'> },
): Promise<TriggerAnswer | TriggerWaits> {
  const at = now();
  const answer = await builds.withRequestAfterChecks(
    job,
    { ...request, at },
    async (tx): Promise<TriggerAnswer | TriggerWaits> => (await answerRequest(tx, at)) ?? tx.waits,
  );
  return answer ?? { answer: 'unknown' };
}

/** Ends the wait for the checks, and answers the request with the versions that are known at that time. */
export async function endTriggerWait(
  waits: TriggerWaits,
  { builds, now }: Pick<CheckPorts, 'now'> & { builds: Pick<BuildStore, 'withWaitEnded'> },
): Promise<TriggerAnswer> {
  const at = now();
  return await builds.withWaitEnded(waits, async (tx): Promise<TriggerAnswer> => {
    const answer = (tx.open ? await answerRequest(tx, at) : undefined) ?? (await tx.answer());
    return answer.answer === 'checking' ? LEFT_OPEN : answer;
  });
}

/**
 * Decides on the job of the request. Undefined: the request still waits for checks, or was answered before.
 */
async function answerRequest(tx: RequestTransaction, at: Date): Promise<TriggerAnswer | undefined> {
  const { facts, decision, written } = await decideAndWrite(tx, at);
  if (facts.jobs.length === 0) return { answer: 'unknown' };
  const build = written.made.find(({ request }) => request === tx.request);
  if (build !== undefined) {
    const { interrupted } = written;
    const checks = checksBefore(decision, tx.request);
    return { answer: 'created', build: buildRefOf(build), interrupted, ...defined({ checks }) };
  }
  const refused = decision.refused.find(({ request }) => request === tx.request);
  if (refused === undefined) return undefined;
  const reasons = refused.reasons.map(({ code, message }) => ({ code, message }));
  return { answer: 'refused', reasons };
}

/** The results of the checks that the request waited for. */
function checksBefore({ builds }: DecidedBuilds, request: number): RequestedCheck[] | undefined {
  for (const { cause } of builds)
    if (cause.kind === 'manual' && cause.request === request) return cause.checks;
  return undefined;
}

async function waitForAnswer(
  waits: TriggerWaits,
  deadline: number,
  { builds, notifications, now, sleep }: CheckPorts,
): Promise<TriggerAnswer | undefined> {
  let wakeUp = new AbortController();
  const stop = notifications.listen(['schedule', 'status'], (notification) => {
    if (mayAnswer(notification, waits)) wakeUp.abort();
  });
  try {
    for (;;) {
      const leftMs = deadline - now().getTime();
      if (leftMs <= 0) return undefined;
      await sleep(Math.min(leftMs, READ_AGAIN_MS), wakeUp.signal);
      wakeUp = new AbortController();
      const answer = await builds.triggerAnswer(waits);
      if (answer.answer !== 'checking') return answer;
    }
  } finally {
    stop();
  }
}

function mayAnswer(
  notification: ReceivedNotification<'schedule' | 'status'>,
  { pipelineId }: TriggerWaits,
): boolean {
  if (notification.topic === 'missed') return true;
  return notification.pipeline === 'all' || notification.pipeline === pipelineId;
}

function notifyOfTrigger(
  answer: TriggerAnswer | undefined,
  notifications: Pick<Notifications, 'notify'>,
): void {
  if (answer?.answer !== 'created') return;
  for (const build of answer.interrupted) notifications.notify({ topic: 'cancel', build });
  notifications.notify({ topic: 'builds' });
}

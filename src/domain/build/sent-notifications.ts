import { isAutomaticNotification } from '#domain/planning/notification-steps.ts';
import type { StepState } from './build-state.ts';

/** Notifications of a build that the operator sends instead of the agent, and the results so far. */
export interface SentNotifications {
  moment: 'waiting' | 'ended';
  names: string[];
  results: { hook: string; error?: string; output: string; skipped?: string }[];
  /** Why there are no results, as a sentence. */
  error?: string;
  startedAt: Date;
  endedAt?: Date;
}

const MAX_OUTPUT_CHARACTERS = 500;

/** The steps of a build, with the state of the notifications that the operator sends. */
export function withSentNotifications(
  steps: readonly StepState[],
  sent: readonly SentNotifications[],
): StepState[] {
  const approvalSteps = sent.filter(({ moment }) => moment === 'waiting').flatMap(stepsOfApproval);
  const ended = sent.filter(({ moment }) => moment === 'ended');
  return [...approvalSteps, ...steps.map((step) => sentStep(step, ended))];
}

function stepsOfApproval(sent: SentNotifications): StepState[] {
  return sent.names.map((name, index) => ({
    id: `approve.notify.${index}`,
    kind: 'notify',
    name,
    ...stateOf(name, sent),
  }));
}

function sentStep(step: StepState, ended: readonly SentNotifications[]): StepState {
  const sent = ended.find(({ names }) => names.includes(step.name));
  return sent === undefined || !isAutomaticNotification(step)
    ? step
    : { ...step, ...stateOf(step.name, sent) };
}

type State = Pick<StepState, 'status' | 'startedAt' | 'endedAt' | 'message'>;

function stateOf(name: string, { results, error, startedAt, endedAt }: SentNotifications): State {
  const started = { startedAt: startedAt.toISOString() };
  if (endedAt === undefined) return { status: 'started', ...started };
  const result = results.find(({ hook }) => hook === name);
  const ended = { ...started, endedAt: endedAt.toISOString() };
  if (result?.skipped !== undefined) return { status: 'skipped', message: result.skipped };
  const failure = result === undefined ? (error ?? 'it was not sent') : result.error;
  if (failure === undefined) return { status: 'succeeded', ...ended };
  const output = (result?.output ?? '').trim().slice(-MAX_OUTPUT_CHARACTERS).toWellFormed();
  return { status: 'failed', ...ended, message: output === '' ? failure : `${failure} ${output}` };
}

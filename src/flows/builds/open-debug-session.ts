import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import type { TerminalSize } from '#domain/build/debug-session.ts';
import { decideDebug, TOO_MANY_SHELLS, type RunningStep } from '#domain/build/decide-debug.ts';
import type { BuildRef } from '#flows/names.ts';
import type { ActionRefused } from './action-ports.ts';
import type { DebugPorts } from './debug-ports.ts';
import { removeForgottenShells } from './remove-forgotten-shells.ts';

export interface DebugRequest {
  by: string;
  /** Name or id of the step. Absent: the only step that runs. */
  step?: string;
  command: readonly string[];
  terminal?: TerminalSize;
}

export type DebugOpened = { answer: 'done'; session: number; step: RunningStep } | ActionRefused;

/** Opens a shell in a step that runs. The build's agent starts it. */
export async function openDebugSession(
  ref: BuildRef,
  request: DebugRequest,
  ports: DebugPorts,
): Promise<DebugOpened> {
  await removeForgottenShells(ports);
  const target = await ports.debug.target(ref);
  if (target === undefined) return { answer: 'unknown' };
  const decision = decideDebug(target, request.step);
  if (decision.answer === 'refused') return { answer: 'refused', reasons: [decision.reason] };
  const { build, attempt } = target;
  const { step } = decision;
  const toOpen = { ...request, ref, build, attempt, step, at: ports.now() };
  const session = await ports.debug.open(toOpen, DEBUG_LIMITS.sessions);
  if (session === 'full') return { answer: 'refused', reasons: [TOO_MANY_SHELLS] };
  ports.notifications.notify({ topic: 'debug-input', build });
  return { answer: 'done', session, step };
}

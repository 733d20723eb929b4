import { DEBUG_LIMITS } from './debug-limits.ts';

/** What a person's terminal sends to the shell: bytes in base64, a new size, or the end of the input. */
export type DebugInput = { data: string } | { columns: number; rows: number } | { end: true };

export interface TerminalSize {
  columns: number;
  rows: number;
}

/**
 * Why a debug session ended. `exited`: the shell ended, and `exitCode` says how. `step-ended`: the step of
 * the shell ended first. `not-started`: no shell could be started. `idle`: there was no input for too long.
 * `left`: the connection of the person's terminal was lost. `closed`: the person ended the session.
 * `no-answer`: the agent did not answer. `not-allowed`: the team no longer allows shells.
 */
export const DEBUG_END_REASONS = [
  'exited',
  'step-ended',
  'not-started',
  'idle',
  'left',
  'closed',
  'no-answer',
  'not-allowed',
] as const;

export interface DebugEnd {
  reason: (typeof DEBUG_END_REASONS)[number];
  /** A sentence. */
  message: string;
  /** As shells report it: if a signal ended the shell, 128 plus the number of the signal. */
  exitCode?: number;
}

export interface OpenDebugSession {
  /** `opening`: the agent has not answered yet. */
  state: 'opening' | 'open';
  openedAt: Date;
  /** Time of the last input, or of the opening if there was none. */
  inputAt: Date;
  /** When the person's terminal last read output or sent input. */
  seenAt: Date;
  /** The team allows shells in its builds. */
  allowed: boolean;
  /** The build still runs, in the attempt that the session was opened in. */
  running: boolean;
}

/** Why a session has to end. Undefined: it continues. */
export function judgeDebugSession(session: OpenDebugSession, now: Date): DebugEnd | undefined {
  const since = (at: Date): number => now.getTime() - at.getTime();
  if (!session.allowed)
    return { reason: 'not-allowed', message: 'The team does not allow shells in its builds any more.' };
  if (!session.running) return STEP_ENDED;
  if (since(session.seenAt) > DEBUG_LIMITS.awayMs)
    return { reason: 'left', message: 'The connection to the terminal was lost.' };
  if (session.state === 'opening' && since(session.openedAt) > DEBUG_LIMITS.openingMs)
    return { reason: 'no-answer', message: "The build's agent did not answer. Try again." };
  if (since(session.inputAt) > DEBUG_LIMITS.idleMs)
    return {
      reason: 'idle',
      message: `There was no input for ${DEBUG_LIMITS.idleMs / 60_000} minutes.`,
    };
  return undefined;
}

export const STEP_ENDED: DebugEnd = {
  reason: 'step-ended',
  message: 'The step has ended, and the shell with it.',
};

export const SESSION_CLOSED: DebugEnd = { reason: 'closed', message: 'The session was closed.' };

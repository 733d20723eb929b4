import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { bytes, characters, count, milliseconds } from './limit-values.ts';
import type { Limit } from './limit.ts';

/** Limits of shells that people open in running steps. */
export const SHELL_LIMITS: readonly Limit[] = [
  ['Open shells of a build', count(DEBUG_LIMITS.sessions), 'refusal', '409, `DebugSessionsFull`'],
  ['Time without input', milliseconds(DEBUG_LIMITS.idleMs), 'cut', 'the shell ends, with the reason `idle`'],
  [
    'Time without a connection to its person',
    milliseconds(DEBUG_LIMITS.awayMs),
    'cut',
    'the shell ends; the build goes on',
  ],
  ["Time until the build's agent starts it", milliseconds(DEBUG_LIMITS.openingMs), 'refusal', '`no-answer`'],
  ['Input or output in one message', bytes(DEBUG_LIMITS.messageBytes), 'refusal', '400'],
  [
    'Input that the shell has not read, and output that its person has not received',
    bytes(DEBUG_LIMITS.backlogBytes),
    'later',
    'the sender waits until there is room',
  ],
  [
    'Command in place of a shell',
    `${count(DEBUG_LIMITS.commandArguments)} arguments, ${characters(DEBUG_LIMITS.commandCharacters)} in all`,
    'refusal',
    '400',
  ],
];

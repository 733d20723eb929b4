import type { DiagnosticCode } from './diagnostic-codes.ts';
import type { Diagnostic } from './diagnostic.ts';

/**
 * Codes of diagnostics that say that something is missing, has no effect or is in a wrong place. After a
 * syntax error, this may only seem so: the missing part may be in the text that the parser could not read.
 */
const CODES: ReadonlySet<DiagnosticCode> = new Set([
  'cache-without-effect',
  'condition-variable',
  'evaluation-failed',
  'for-each-empty',
  'get-not-supported',
  'input-options',
  'invalid-cache',
  'invalid-command',
  'invalid-notify',
  'job-without-steps',
  'misplaced-block',
  'missing-attribute',
  'missing-block',
  'missing-parameter',
  'nothing-to-do',
  'notification-without-on',
  'parameters-conflict',
  'passed-never',
  'put-not-supported',
  'put-without-token',
  'runner-attribute',
  'schedule-without-check',
  'supersede-without-effect',
  'time-zone-without-cron',
  'type-protocol',
  'unknown-parameter',
  'unknown-type',
]);

/** Whether the diagnostic may only follow from a part of the text that a syntax error made unreadable. */
export const mayFollowFromLostText = ({ code }: Diagnostic): boolean => CODES.has(code);

import type { DiagnosticCode } from './diagnostic-codes.ts';
import type { Diagnostic } from './diagnostic.ts';

/**
 * Codes of diagnostics that say that something is missing, has no effect or is in a wrong place. After a
 * syntax error, such a diagnostic may be wrong: the missing part may be in the text that the parser could not
 * read.
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

/** Whether the diagnostic may be wrong, because a syntax error made a part of the text unreadable. */
export const mayFollowFromLostText = ({ code }: Diagnostic): boolean => CODES.has(code);

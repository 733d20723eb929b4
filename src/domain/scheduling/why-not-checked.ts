import type { RequestedCheck } from './facts.ts';
import type { Reason } from './reasons.ts';

/** How long a person's trigger waits for its checks. API requests end after 30 seconds. */
export const MAX_CHECK_WAIT_MS = 25_000;

/** A reason for each check that failed or was late, in the order of the checks. */
export function whyNotChecked(checks: readonly RequestedCheck[]): Reason[] {
  return checks.flatMap((check): Reason[] => {
    const { resource, result } = check;
    const data = { resource };
    const message = sentenceOf(check);
    if (result === 'failed') return [{ code: 'CheckFailed', message, data }];
    return result === 'late' ? [{ code: 'CheckLate', message, data }] : [];
  });
}

/** Undefined for a check that succeeded. */
export function describeCheck(check: RequestedCheck): string | undefined {
  return check.result === 'checked' ? undefined : sentenceOf(check);
}

function sentenceOf({ resource, result, error }: RequestedCheck): string {
  if (result === 'failed') return `The check of ${resource} failed: ${error ?? 'no reason is known.'}`;
  return `The check of ${resource} did not end within ${MAX_CHECK_WAIT_MS / 1000} seconds.`;
}

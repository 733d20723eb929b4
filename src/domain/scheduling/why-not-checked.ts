import type { RequestedCheck } from './facts.ts';
import type { Reason } from './reasons.ts';

/** How long a person's trigger waits for its checks. A request to the API ends after 30 seconds. */
export const MAX_CHECK_WAIT_MS = 25_000;

/** One reason for each check that brought nothing, in the order of the checks. */
export function whyNotChecked(checks: readonly RequestedCheck[]): Reason[] {
  return checks.flatMap((check): Reason[] => {
    const { resource, result } = check;
    const data = { resource };
    const message = sentenceOf(check);
    if (result === 'failed') return [{ code: 'CheckFailed', message, data }];
    return result === 'late' ? [{ code: 'CheckLate', message, data }] : [];
  });
}

/** What there is to say of a check; of one that brought what is newest nothing. */
export function sentenceOfCheck(check: RequestedCheck): string | undefined {
  return check.result === 'checked' ? undefined : sentenceOf(check);
}

function sentenceOf({ resource, result, error }: RequestedCheck): string {
  if (result === 'failed') return `The check of ${resource} failed: ${error ?? 'it gave no reason.'}`;
  return `The check of ${resource} did not end within ${MAX_CHECK_WAIT_MS / 1000} seconds.`;
}

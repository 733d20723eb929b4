const UNDECIDED_REASONS: ReadonlySet<string> = new Set([
  'Retrying',
  'MachineBusy',
  'TeamNotReady',
  'NoTeam',
  'Terminating',
]);

/**
 * Whether Ready=False with this reason is no verdict on a Pipeline's text: the operator tries again by
 * itself.
 */
export function isUndecided(reason: string): boolean {
  return UNDECIDED_REASONS.has(reason);
}

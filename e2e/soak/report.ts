import type { RuleResult, Violation } from './check/evidence.ts';
import type { Fault, SoakHistory } from './history.ts';

/**
 * A violation is shown with the faults that ended at most `BEFORE_MS` before it or began at most `AFTER_MS`
 * after it.
 */
const BEFORE_MS = 30_000;
const AFTER_MS = 5000;
const MAX_SHOWN = 8;

const clock = (history: SoakHistory, at: number): string => {
  const seconds = Math.round((at - history.started) / 1000);
  return `${Math.floor(seconds / 60)}:${String(((seconds % 60) + 60) % 60).padStart(2, '0')}`;
};

/** The faults around a moment, oldest first. */
const faultsAround = (faults: readonly Fault[], at: number): Fault[] =>
  faults.filter(
    ({ from, to = from, skipped }) => skipped === undefined && to >= at - BEFORE_MS && from <= at + AFTER_MS,
  );

const describeFault = (history: SoakHistory, { name, target, from, to = from }: Fault): string =>
  `${clock(history, from)}${to - from > 1000 ? `–${clock(history, to)}` : ''} ${name} (${target})`;

const showViolation = (history: SoakHistory, { subject, what, at }: Violation): string[] => {
  const near = at === undefined ? [] : faultsAround(history.faults, at);
  return [
    `    ${at === undefined ? '' : `${clock(history, at)} `}${subject}: ${what}`,
    ...near.map((fault) => `        ${describeFault(history, fault)}`),
  ];
};

const tally = (faults: readonly Fault[]): string[] => {
  const counts = Map.groupBy(faults, ({ name }) => name);
  return [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, list]) => {
      const done = list.filter(({ skipped }) => skipped === undefined).length;
      const skipped = list.length - done;
      return `  ${String(done).padStart(4)}  ${name}${skipped > 0 ? ` (${skipped} found nothing to hit)` : ''}`;
    });
};

/** `–`: the rule was never checked. */
const markOf = (checked: number, violations: number): string => {
  if (violations > 0) return '✘';
  return checked > 0 ? '✔' : '–';
};

/**
 * The counts of faults, the table of rules, the violations with the faults near them, and a last line: PASS
 * or FAIL, and how to repeat the run.
 */
export const report = (results: readonly RuleResult[], history: SoakHistory): string => {
  const lines = results.flatMap(({ invariant, checked, violations }) => {
    const shown = violations.slice(0, MAX_SHOWN).flatMap((violation) => showViolation(history, violation));
    const more = violations.length > MAX_SHOWN ? [`    … and ${violations.length - MAX_SHOWN} more`] : [];
    const mark = markOf(checked, violations.length);
    return [`${mark} ${String(checked).padStart(5)}  ${invariant}`, ...shown, ...more];
  });
  const failed = results.reduce((sum, { violations }) => sum + violations.length, 0);
  const verdict = failed === 0 ? 'PASS' : `FAIL: ${failed} violations`;
  return [
    '',
    'Faults',
    ...tally(history.faults),
    '',
    'Invariants, and how often each was checked',
    ...lines,
    '',
    `${verdict} (SEED=${history.seed} MINUTES=${history.minutes})`,
  ].join('\n');
};

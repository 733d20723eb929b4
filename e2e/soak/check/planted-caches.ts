import type { StepExecution } from '#e2e/soak/history.ts';
import { findBuild } from './clean-run.ts';
import type { Evidence } from './evidence.ts';

/* Planted violations of the rule about caches. */

const WHOLE = 'a cache gives back all files that one green build of its job saved';

/** The step of the second build, which found what the first had saved. */
const finder = ({ history }: Evidence): StepExecution => {
  const found = history.runs.find(({ restored = '' }) => restored !== '');
  if (found === undefined) throw new Error('No step of the clean run found files in its cache.');
  return found;
};

export const PLANTED_CACHES: Record<string, [invariant: string, plant: (evidence: Evidence) => void]> = {
  'a cache that lacks a file': [
    WHOLE,
    (evidence) => {
      const run = finder(evidence);
      run.restored = run.restored?.replace('.200.', '.199.') ?? '';
    },
  ],
  'a cache with files of two runs': [
    WHOLE,
    (evidence) => {
      finder(evidence).restored = '.100.one_.100.other_';
    },
  ],
  'a cache of another job': [
    WHOLE,
    (evidence) => {
      const other = evidence.history.runs.find(({ job }) => job === 'torn');
      finder(evidence).restored = `.200.${other?.run}_`;
    },
  ],
  'a cache that a failed build saved': [
    WHOLE,
    (evidence) => {
      findBuild(evidence, 'services/whole #1').status = 'failed';
    },
  ],
};

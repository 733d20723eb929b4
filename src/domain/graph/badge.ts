import { gravestOf, toneOf, type Tone } from './look.ts';
import type { JobState } from './state.ts';

/** What a badge says of a job, or of all jobs of a pipeline. */
export interface Badge {
  label: string;
  word: string;
  tone: Tone;
}

/**
 * The gravest of the jobs gives the colour, as in a compact node of a picture; a badge keeps to how builds
 * ended.
 */
export function badgeOf(label: string, jobs: readonly JobState[]): Badge {
  const tone = gravestOf(jobs.map(toneOf));
  return { label, tone, word: tone === 'idle' ? wordOfIdle(jobs) : (WORDS[tone] ?? tone) };
}

const WORDS: Partial<Record<Tone, string>> = { waiting: 'waiting for approval' };

function wordOfIdle(jobs: readonly JobState[]): string {
  if (jobs.some(({ doing }) => doing === 'started')) return 'running';
  return jobs.some(({ doing }) => doing === 'pending') ? 'pending' : 'not yet run';
}

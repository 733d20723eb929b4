import { toneOf, worstTone, type Tone } from './node-style.ts';
import type { JobState } from './state.ts';

/** The text and colour of a badge: `label` on the left, `word` on the right. */
export interface Badge {
  label: string;
  word: string;
  tone: Tone;
}

/**
 * The badge of jobs. Their worst state gives the colour, as in a compact node of a picture. The word says how
 * builds ended, or that none has run.
 */
export function badgeOf(label: string, jobs: readonly JobState[]): Badge {
  const tone = worstTone(jobs.map(toneOf));
  return { label, tone, word: tone === 'idle' ? wordOfIdle(jobs) : (WORDS[tone] ?? tone) };
}

const WORDS: Partial<Record<Tone, string>> = { waiting: 'waiting for approval' };

function wordOfIdle(jobs: readonly JobState[]): string {
  if (jobs.some(({ doing }) => doing === 'started')) return 'running';
  return jobs.some(({ doing }) => doing === 'pending') ? 'pending' : 'not yet run';
}

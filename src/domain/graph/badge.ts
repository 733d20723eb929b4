import { toneOf, worstTone, type Tone } from './node-style.ts';
import type { JobState } from './state.ts';

/** The text and colour of a badge. `label` is on its left side, `word` on its right side. */
export interface Badge {
  label: string;
  word: string;
  tone: Tone;
}

/**
 * The badge of one or more jobs. The worst state of the jobs gives the colour, as in a compact node of a
 * picture, and the word. If that state is `idle`, because a job has no ended build, the word says whether a
 * build runs or is pending.
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

import { toneOf, worstTone, type Tone } from './node-style.ts';
import type { JobState } from './state.ts';

/** The text and colour of a badge. `label` is on its left side, `word` on its right side. */
export interface Badge {
  label: string;
  word: string;
  tone: Tone;
}

/**
 * The badge of one or more jobs. The worst state of the jobs gives the colour and the word. A job does not
 * count if it has no ended build, is not paused and does not wait for approval, so a job that nobody has
 * triggered yet does not hide the others. If no job counts, the word says whether a build runs or is pending.
 */
export function badgeOf(label: string, jobs: readonly JobState[]): Badge {
  const tone = worstTone(jobs.map(toneOf).filter((toneOfJob) => toneOfJob !== 'idle'));
  return { label, tone, word: tone === 'idle' ? wordOfIdle(jobs) : (WORDS[tone] ?? tone) };
}

const WORDS: Partial<Record<Tone, string>> = { waiting: 'waiting for approval' };

function wordOfIdle(jobs: readonly JobState[]): string {
  if (jobs.some(({ doing }) => doing === 'started')) return 'running';
  return jobs.some(({ doing }) => doing === 'pending') ? 'pending' : 'not yet run';
}

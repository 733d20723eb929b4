import { describe, expect, test } from '@jest/globals';
import { badgeOf } from '#domain/graph/badge.ts';
import type { JobState } from '#domain/graph/state.ts';
import { drawBadge } from './draw-badge.ts';

const calm: JobState = { paused: false };

describe('a badge says', () => {
  test.each<[string, JobState[], string, string]>([
    ['nothing has run', [calm], 'not yet run', 'idle'],
    ['nothing is there', [], 'not yet run', 'idle'],
    ['the first build runs', [{ ...calm, doing: 'started' }, calm], 'running', 'idle'],
    ['the first build waits for its turn', [{ ...calm, doing: 'pending' }], 'pending', 'idle'],
    [
      'how the last build ended while the next runs',
      [{ ...calm, ended: 'failed', doing: 'started' }],
      'failed',
      'failed',
    ],
    [
      'the gravest of all jobs',
      [{ ...calm, ended: 'succeeded' }, { ...calm, ended: 'failed' }, { paused: true }],
      'failed',
      'failed',
    ],
    [
      'that somebody is asked',
      [{ ...calm, ended: 'succeeded', doing: 'waiting' }],
      'waiting for approval',
      'waiting',
    ],
    ['that all is well', [{ ...calm, ended: 'succeeded' }], 'succeeded', 'succeeded'],
    ['that it is paused', [{ paused: true, ended: 'succeeded' }], 'paused', 'paused'],
  ])('%s', (_, jobs, word, tone) => {
    expect(badgeOf('app', jobs)).toEqual({ label: 'app', word, tone });
  });
});

describe('a badge', () => {
  const HOSTILE = "</title><script>alert(1)</script>\"onload='x' &amp; \u0000\u202E";

  test('has a title for those who do not see it, and stands alone', () => {
    const svg = drawBadge({ label: 'app', word: 'failed', tone: 'failed' });
    expect(svg).toContain('role="img" aria-label="app: failed"');
    expect(svg).toContain('<title>app: failed</title>');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/href|http|<style|<image|url\(/);
  });

  test('escapes every label, whole and cut', () => {
    const svg = drawBadge({ label: HOSTILE, word: 'failed', tone: 'failed' });
    expect(svg.match(/<\w+/g)?.toSorted()).toEqual(['<path', '<path', '<svg', '<text', '<text', '<title']);
    for (const part of ["onload='", '\u0000', '\u202E']) expect(svg).not.toContain(part);
  });

  test('cuts a long name and says it whole in its title', () => {
    const label = 'x'.repeat(300);
    const svg = drawBadge({ label, word: 'succeeded', tone: 'succeeded' });
    expect(svg).toContain(`<title>${label}: succeeded</title>`);
    expect(Number(/width="(\d+)"/.exec(svg)?.[1])).toBeLessThan(400);
  });
});

import { describe, expect, test } from '@jest/globals';
import { badgeOf } from '#domain/graph/badge.ts';
import type { JobState } from '#domain/graph/state.ts';
import { drawBadge } from './draw-badge.ts';

const notYetRun: JobState = { paused: false };

describe('a badge says that', () => {
  test.each<[string, JobState[], string, string]>([
    ['no job has run', [notYetRun], 'not yet run', 'idle'],
    ['there is no job', [], 'not yet run', 'idle'],
    ['the first build is running', [{ ...notYetRun, doing: 'started' }, notYetRun], 'running', 'idle'],
    ['the first build is pending', [{ ...notYetRun, doing: 'pending' }], 'pending', 'idle'],
    [
      'the last build failed while the next is running',
      [{ ...notYetRun, ended: 'failed', doing: 'started' }],
      'failed',
      'failed',
    ],
    [
      'the worst job failed',
      [{ ...notYetRun, ended: 'succeeded' }, { ...notYetRun, ended: 'failed' }, { paused: true }],
      'failed',
      'failed',
    ],
    [
      'a build waits for approval',
      [{ ...notYetRun, ended: 'succeeded', doing: 'waiting' }],
      'waiting for approval',
      'waiting',
    ],
    ['all jobs succeeded', [{ ...notYetRun, ended: 'succeeded' }], 'succeeded', 'succeeded'],
    ['the pipeline is paused', [{ paused: true, ended: 'succeeded' }], 'paused', 'paused'],
  ])('%s', (_, jobs, word, tone) => {
    expect(badgeOf('app', jobs)).toEqual({ label: 'app', word, tone });
  });
});

describe('a badge', () => {
  const HOSTILE = "</title><script>alert(1)</script>\"onload='x' &amp; \u0000\u202E";

  test('has a title for screen readers, and refers to nothing outside', () => {
    const svg = drawBadge({ label: 'app', word: 'failed', tone: 'failed' });
    expect(svg).toContain('role="img" aria-label="app: failed"');
    expect(svg).toContain('<title>app: failed</title>');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/href|http|<style|<image|url\(/);
  });

  test('escapes every label, in full and shortened', () => {
    const svg = drawBadge({ label: HOSTILE, word: 'failed', tone: 'failed' });
    expect(svg.match(/<\w+/g)?.toSorted()).toEqual(['<path', '<path', '<svg', '<text', '<text', '<title']);
    for (const fragment of ["onload='", '\u0000', '\u202E']) expect(svg).not.toContain(fragment);
  });

  test('shortens a long name, and has the whole name in its title', () => {
    const label = 'x'.repeat(300);
    const svg = drawBadge({ label, word: 'succeeded', tone: 'succeeded' });
    expect(svg).toContain(`<title>${label}: succeeded</title>`);
    expect(Number(/width="(\d+)"/.exec(svg)?.[1])).toBeLessThan(400);
  });
});

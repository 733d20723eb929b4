import { describe, expect, test } from '@jest/globals';
import type { LogPage } from '#flows/views/ports.ts';
import { logText } from './logs.ts';

const pageOf = (sequence: number, hasMore: boolean, attempt = 1): LogPage => ({
  chunks: [{ attempt, sequence, step: '0', text: `line ${sequence}\n`, at: new Date(0) }],
  retried: attempt === 1 ? [] : [{ attempt: 1, reason: 'PodLost: The Pod is gone.' }],
  hasMore,
  complete: !hasMore,
});

/** What is sent of three pages, and whether it was whole. `allowed`: how often somebody may still read on. */
async function downloaded(allowed: number): Promise<[sent: string, whole: boolean]> {
  let asked = 0;
  const sent: string[] = [];
  const reading = {
    recheckAccess: async () => {
      asked += 1;
      if (asked > allowed) throw new Error('not any more');
    },
    read: async (after: number) => pageOf(after + 1, after < 2, after < 2 ? 1 : 2),
  };
  try {
    for await (const text of logText(pageOf(1, true), reading)) sent.push(text);
    return [sent.join(''), true];
  } catch {
    return [sent.join(''), false];
  }
}

describe('the text of a log', () => {
  test('comes whole to whoever may read it all the time, and tells where another attempt begins', async () => {
    const retry = '\n--- attempt 2: PodLost: The Pod is gone. ---\n';
    expect(await downloaded(2)).toEqual([`line 1\nline 2\n${retry}line 3\n`, true]);
  });

  test.each([
    [0, 'line 1\n'],
    [1, 'line 1\nline 2\n'],
  ])('breaks off when the rights end during the download, after %s more pages', async (allowed, sent) => {
    expect(await downloaded(allowed)).toEqual([sent, false]);
  });
});

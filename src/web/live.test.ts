import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { FRESH_MS } from '#flows/views/pipeline-lookup.ts';

test('a page ignores cached responses from before the event that made it reload', async () => {
  const script = await readFile(new URL('live.js', import.meta.url), 'utf8');
  const waits = Number(/^const REFRESH_MS = (\d+);$/m.exec(script)?.[1]);
  expect(waits).toBeGreaterThanOrEqual(FRESH_MS + 100);
});

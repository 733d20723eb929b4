import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { FRESH_MS } from '#flows/views/pipeline-lookup.ts';

test('a page is asked for again when what was kept from before the event is no longer given out', async () => {
  const script = await readFile(new URL('live.js', import.meta.url), 'utf8');
  const waits = Number(/^const REFRESH_MS = (\d+);$/m.exec(script)?.[1]);
  expect(waits).toBeGreaterThanOrEqual(FRESH_MS + 100);
});

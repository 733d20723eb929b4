import { expect, test } from '@jest/globals';
import { FRESH_MS } from '#flows/views/pipeline-lookup.ts';
import { REFRESH_MS } from './refresh.ts';

test('a page ignores cached responses from before the event that made it reload', () => {
  expect(REFRESH_MS).toBeGreaterThanOrEqual(FRESH_MS + 100);
});

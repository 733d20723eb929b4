import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { NEWEST_MIGRATION } from './newest-migration.ts';

test('a gateway is ready only once the newest migration has run', () => {
  const files = readdirSync(join(import.meta.dirname, 'migrations')).toSorted();
  expect(`${NEWEST_MIGRATION}.sql`).toBe(files.at(-1));
});

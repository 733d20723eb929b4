import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readNewestColumn } from './newest-column.ts';

const FOLDER = join(import.meta.dirname, 'migrations');

test('a gateway is ready only once the column of the newest migration that adds one is there', () => {
  const texts = readdirSync(FOLDER)
    .toSorted()
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  const added = texts.flatMap((text) => [...text.matchAll(/ALTER TABLE (\w+)[^;]*ADD COLUMN (\w+)/g)]);
  const [, table, column] = added.at(-1) ?? [];
  expect(readNewestColumn.sql).toBe(`SELECT ${column} FROM ${table} LIMIT 1`);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { COMMANDS_PAGE, commandsPage } from './commands.ts';
import { ERRORS_PAGE, errorsPage } from './errors.ts';
import { definitions, KINDS_PAGE, kindsPage } from './kinds.ts';
import { pipelineJsonSchema, SCHEMA_FILE } from './language-schema.ts';
import { allRows, LANGUAGE_PAGE, rowsIn, tablesIn, withLanguage } from './language.ts';
import { LIMITS_PAGE, limitsPage } from './limits.ts';
import { ROOT } from './markdown.ts';
import { METRICS_PAGE, metricsPage } from './metrics.ts';
import { API_PAGE, withRoutes } from './routes.ts';
import { WAITING_PAGE, waitingPage } from './waiting.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('pages that are made (`node tools/docs/main.ts` makes them anew)', () => {
  test('the page of errors is what the catalogue says', async () => {
    expect(read(ERRORS_PAGE)).toBe(await errorsPage());
  });

  test('the page of the command line is what its definitions say', async () => {
    expect(read(COMMANDS_PAGE)).toBe(await commandsPage());
  });

  test('the page of reasons is what the table says', async () => {
    expect(read(WAITING_PAGE)).toBe(await waitingPage());
  });

  test('the page of limits is what the constants say', async () => {
    expect(read(LIMITS_PAGE)).toBe(await limitsPage());
  });

  test('the page of metrics is what the processes make', async () => {
    expect(read(METRICS_PAGE)).toBe(await metricsPage());
  });

  test('the page of kinds is what the definitions say', async () => {
    expect(read(KINDS_PAGE)).toBe(await kindsPage(definitions()));
  });

  test('the table of routes is what the server has', async () => {
    expect(read(API_PAGE)).toBe(await withRoutes(read(API_PAGE)));
  });

  test('the tables of the language are what the schema says', async () => {
    expect(read(LANGUAGE_PAGE)).toBe(await withLanguage(read(LANGUAGE_PAGE)));
  });

  test('every attribute and block of the language stands in a table', () => {
    const there = new Set(rowsIn(read(LANGUAGE_PAGE)));
    expect(allRows().filter((row) => !there.has(row))).toEqual([]);
  });

  test('every table of the language has an example behind it, before the next heading of its level', () => {
    const sections = read(LANGUAGE_PAGE).split(/^## /m).slice(2);
    const without = sections.filter((text) => tablesIn(text).length > 0 && !text.includes('```hcl'));
    expect(without.map((text) => text.split('\n')[0])).toEqual([]);
  });

  test('the JSON Schema is what the schema says', async () => {
    expect(read(SCHEMA_FILE)).toBe(await pipelineJsonSchema());
  });

  test('a field without a description would leave a hole', async () => {
    const holes = (await kindsPage(definitions())).split('\n').filter((line) => /^\| `.*\|\s*\|$/.test(line));
    expect(holes).toEqual([]);
  });
});

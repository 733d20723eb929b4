import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { COMMANDS_PAGE, commandsPage } from './commands.ts';
import { ENVIRONMENT_PAGE, withVariables } from './environment.ts';
import { ERRORS_PAGE, errorsPage } from './errors.ts';
import { definitions, KINDS_PAGE, kindsPage } from './kinds.ts';
import { pipelineJsonSchema, SCHEMA_FILE } from './language-schema.ts';
import { allRows, LANGUAGE_PAGE, rowsIn, tablesIn, withLanguage } from './language.ts';
import { LIMITS_PAGE, limitsPage } from './limits-page.ts';
import { ROOT } from './markdown.ts';
import { METRICS_PAGE, metricsPage } from './metrics.ts';
import { API_PAGE, withRoutes } from './routes.ts';
import { WAITING_PAGE, waitingPage } from './waiting.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('generated pages are up to date (`node tools/docs/main.ts` writes them)', () => {
  test('the page of errors equals the catalogue', async () => {
    expect(read(ERRORS_PAGE)).toBe(await errorsPage());
  });

  test('the page of the command line equals its definitions', async () => {
    expect(read(COMMANDS_PAGE)).toBe(await commandsPage());
  });

  test('the page of reasons equals the table', async () => {
    expect(read(WAITING_PAGE)).toBe(await waitingPage());
  });

  test('the page of limits equals the constants', async () => {
    expect(read(LIMITS_PAGE)).toBe(await limitsPage());
  });

  test('the page of metrics equals the metrics of the processes', async () => {
    expect(read(METRICS_PAGE)).toBe(await metricsPage());
  });

  test('the page of kinds equals the definitions', async () => {
    expect(read(KINDS_PAGE)).toBe(await kindsPage(definitions()));
  });

  test('the table of routes equals the routes of the server', async () => {
    expect(read(API_PAGE)).toBe(await withRoutes(read(API_PAGE)));
  });

  test('the tables of variables equal the table of the planner', async () => {
    expect(read(ENVIRONMENT_PAGE)).toBe(await withVariables(read(ENVIRONMENT_PAGE)));
  });

  test('the tables of the language equal the schema', async () => {
    expect(read(LANGUAGE_PAGE)).toBe(await withLanguage(read(LANGUAGE_PAGE)));
  });

  test('every attribute and block of the language is in a table', () => {
    const documented = new Set(rowsIn(read(LANGUAGE_PAGE)));
    expect(allRows().filter((row) => !documented.has(row))).toEqual([]);
  });

  test('every section with a table of a block has an example', () => {
    const sections = read(LANGUAGE_PAGE).split(/^## /m).slice(2);
    const withoutExample = sections.filter((text) => tablesIn(text).length > 0 && !text.includes('```hcl'));
    expect(withoutExample.map((text) => text.split('\n')[0])).toEqual([]);
  });

  test('the JSON Schema equals the schema', async () => {
    expect(read(SCHEMA_FILE)).toBe(await pipelineJsonSchema());
  });

  test('every field of a kind has a description', async () => {
    const withoutDescription = (await kindsPage(definitions()))
      .split('\n')
      .filter((line) => /^\| `.*\|\s*\|$/.test(line));
    expect(withoutDescription).toEqual([]);
  });
});

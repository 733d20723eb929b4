import { describe, expect, test } from '@jest/globals';
import { asksForAllRows, jobTable, MAX_ROWS } from './lists.ts';

const NAME = { team: 'main', pipeline: 'app' };

/** The table of a page with this many jobs. */
function tableOf(count: number, query: Record<string, string> = {}): string {
  const rows = Array.from({ length: count }, (_, index) => ({ name: `job-${index}`, paused: false }));
  return String(jobTable(NAME, { rows, isWhole: asksForAllRows(query) }));
}

const rowsIn = (table: string): number => table.split('scope="row"').length - 1;

describe('a table of jobs', () => {
  test('has every job and no link to more, if there are few', () => {
    const table = tableOf(MAX_ROWS);
    expect(rowsIn(table)).toBe(MAX_ROWS);
    expect(table).not.toContain('rows=all');
  });

  test('has the first hundred of many jobs, and says how many there are', () => {
    const table = tableOf(505);
    expect(rowsIn(table)).toBe(MAX_ROWS);
    expect(table).toContain('job-0<');
    expect(table).toContain(`These are the first ${MAX_ROWS} of 505 jobs.`);
    expect(table).toContain('<a href="?rows=all#jobs">Show all jobs</a>');
  });

  test('has all of many jobs if the viewer asks for them', () => {
    const table = tableOf(505, { rows: 'all' });
    expect(rowsIn(table)).toBe(505);
    expect(table).not.toContain('?rows=all');
  });
});

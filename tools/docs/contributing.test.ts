import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from './markdown.ts';

const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Files and folders in the table "Where a change goes"; `*` and `<subject>` stand for any name. */
function placesIn(page: string): string[] {
  const [, section = ''] = page.split('\n## Where a change goes\n');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/`(?:node )?(?<place>(?:src|crds|tools|docs|config|e2e)\/[^`]+)`/g)].map(
    ({ groups }) => groups?.['place'] ?? '',
  );
}

describe('the table "Where a change goes" in CONTRIBUTING.md', () => {
  test('names more than 20 files and folders', () => {
    expect(placesIn(PAGE).length).toBeGreaterThan(20);
  });

  test.each([...new Set(placesIn(PAGE))])('leads to %s, which exists', (place) => {
    expect(globSync(place.replace(/<\w+>/, '*'), { cwd: ROOT })).not.toEqual([]);
  });
});

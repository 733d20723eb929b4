import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/*
 * A worker loads a module once, for all its test files, so hooks at the top level of a module would run only
 * for the first of them.
 */
test('only test files register hooks outside functions', () => {
  const modules = globSync('{src,config,tools,bench,e2e}/**/*.ts', { cwd: root }).filter(
    (path) => !path.includes('/node_modules/') && !path.endsWith('.test.ts'),
  );
  const faults = modules.filter((path) =>
    /^(before|after)(All|Each)\(/m.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(faults).toEqual([]);
  expect(modules.length).toBeGreaterThan(1000);
});

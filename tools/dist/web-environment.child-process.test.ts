import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'millrace-web-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Builds the pages with this environment. Returns the names of the files, which contain hashes. */
function filesWith(environment: NodeJS.ProcessEnv): string[] {
  const program = `import { buildWeb } from ${JSON.stringify(join(import.meta.dirname, 'web.ts'))};
    await buildWeb(${JSON.stringify(folder)});`;
  const env = { PATH: process.env['PATH'], ...environment };
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, cwd: import.meta.dirname });
  return readdirSync(folder).toSorted();
}

test('the scripts of pages are the same whatever NODE_ENV says', () => {
  const usual = filesWith({});
  expect(usual).toContain('assets.json');
  expect(filesWith({ NODE_ENV: 'test' })).toEqual(usual);
  expect(filesWith({ NODE_ENV: 'development' })).toEqual(usual);
});

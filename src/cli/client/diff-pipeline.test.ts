import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openFakeServer } from '#testing/cli/fake-server.ts';

const CONFIG = 'job "unit" {\n  task "test" {\n    run "shell" {\n      cmd = "make"\n    }\n  }\n}\n';
const folder = mkdtempSync(join(tmpdir(), 'millrace-diff-'));
let server: Awaited<ReturnType<typeof openFakeServer>>;

beforeAll(async () => {
  const vars = { branch: 'main', region: 'eu' };
  server = await openFakeServer((route) =>
    route === 'GET /teams/main/pipelines/app/definition'
      ? { data: { name: 'app', config: CONFIG, vars, public: true } }
      : {},
  );
  writeFileSync(join(folder, 'same.hcl'), CONFIG);
  writeFileSync(join(folder, 'other.hcl'), CONFIG.replace('make', 'make test'));
  writeFileSync(join(folder, 'vars.json'), '{"branch":"main"}');
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function diff(file: string, ...more: string[]): Promise<CommandResult> {
  const environment = { XDG_CONFIG_HOME: folder, MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_secret' };
  const words = ['millrace', 'diff', 'app', '--config', join(folder, file), ...more];
  return await millrace(words, { environment });
}

test('without a difference, `millrace diff` prints nothing', async () => {
  expect(await diff('same.hcl')).toMatchObject({ exit: 0, out: '', err: '' });
  expect(await diff('same.hcl', '--var', 'branch=main')).toMatchObject({ exit: 0, out: '' });
});

test('`millrace diff` shows the lines that differ, and exits with 1', async () => {
  const ran = await diff('other.hcl');
  expect(ran.exit).toBe(1);
  expect(ran.out).toContain('  -       cmd = "make"\n  +       cmd = "make test"\n');
});

test('`millrace diff` names the variables that differ, without their values', async () => {
  const changed = await diff('same.hcl', '--var', 'branch=secret');
  expect(changed).toMatchObject({ exit: 1, out: '  variable branch: changed\n' });
  const replaced = await diff('same.hcl', '--vars', join(folder, 'vars.json'));
  expect(replaced).toMatchObject({ exit: 1, out: '  variable region: removed\n' });
});

test('the JSON output of `millrace diff` contains the same changes', async () => {
  const ran = await diff('same.hcl', '--var', 'more=1', '--output', 'json');
  expect([ran.exit, JSON.parse(ran.out)]).toEqual([1, { settings: ['variable more: added'], lines: [] }]);
});

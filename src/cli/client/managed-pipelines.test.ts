import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openFakeServer } from '#testing/cli/fake-server.ts';

/* Commands that read the definition of a pipeline, run on a pipeline that a manifest manages. */
const CONFIG = 'job "unit" {\n  task "test" {\n    run "shell" {\n      cmd = "make"\n    }\n  }\n}\n';
const folder = mkdtempSync(join(tmpdir(), 'millrace-managed-'));
const [sameFile, otherFile] = [join(folder, 'same.hcl'), join(folder, 'other.hcl')];
let server: Awaited<ReturnType<typeof openFakeServer>>;

beforeAll(async () => {
  const data = { name: 'app', config: CONFIG, vars: {}, managed_by_manifest: true };
  server = await openFakeServer((route) =>
    route === 'GET /teams/main/pipelines/app/definition'
      ? { data }
      : { data: { findings: [], warnings: [] } },
  );
  writeFileSync(sameFile, CONFIG);
  writeFileSync(otherFile, CONFIG.replace('make', 'make test'));
});
beforeEach(() => void server.requests.splice(0));
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function run(...words: string[]): Promise<CommandResult> {
  const environment = { XDG_CONFIG_HOME: folder, MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_secret' };
  return await millrace(['millrace', ...words], { environment });
}

test.each([[[]], [['--dry-run']], [['--var', 'branch=main']], [['--public']]])(
  '`pipelines update` only says that a manifest manages the pipeline, with the options %j',
  async (more) => {
    const ran = await run('pipelines', 'update', 'app', '--config', otherFile, ...more);
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(
      'a manifest manages the pipeline main/app, so it cannot be updated here: change',
    );
    expect(server.requests).toHaveLength(1);
  },
);

test('`diff` compares the text of a pipeline that a manifest manages', async () => {
  expect(await run('diff', 'app', '--config', sameFile)).toMatchObject({ exit: 0, out: '', err: '' });
  const ran = await run('diff', 'app', '--config', otherFile);
  expect([ran.exit, ran.out]).toEqual([1, expect.stringContaining('  +       cmd = "make test"\n')]);
});

test('`diff` refuses to compare variables of a managed pipeline, because the server does not send them', async () => {
  const ran = await run('diff', 'app', '--config', sameFile, '--var', 'branch=main');
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toContain('the server does not send its variables: remove --var and --vars to compare');
});

test('`pipelines get --config` prints the text of a managed pipeline, and no empty variables', async () => {
  expect(await run('pipelines', 'get', 'app', '--config')).toMatchObject({ exit: 0, out: CONFIG });
  const { out } = await run('pipelines', 'get', 'app', '--config', '--output', 'json');
  expect(JSON.parse(out)).toEqual({ name: 'app', config: CONFIG, managed_by_manifest: true });
});

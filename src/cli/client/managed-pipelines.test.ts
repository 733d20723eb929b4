import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { millrace, type Ran } from '#testing/cli/command-line.ts';
import { openFakeServer } from '#testing/cli/fake-server.ts';

/* Commands that read the definition of a pipeline, for one that a manifest manages. */
const CONFIG = 'job "unit" {\n  task "test" {\n    run "shell" {\n      cmd = "make"\n    }\n  }\n}\n';
const folder = mkdtempSync(join(tmpdir(), 'millrace-managed-'));
const [same, other] = [join(folder, 'same.hcl'), join(folder, 'other.hcl')];
let server: Awaited<ReturnType<typeof openFakeServer>>;

beforeAll(async () => {
  const data = { name: 'app', config: CONFIG, vars: {}, managed_by_manifest: true };
  server = await openFakeServer((what) =>
    what === 'GET /teams/main/pipelines/app/definition' ? { data } : { data: { findings: [], warnings: [] } },
  );
  writeFileSync(same, CONFIG);
  writeFileSync(other, CONFIG.replace('make', 'make test'));
});
beforeEach(() => void server.asked.splice(0));
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function run(...words: string[]): Promise<Ran> {
  const environment = { XDG_CONFIG_HOME: folder, MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_secret' };
  return await millrace(['millrace', ...words], { environment });
}

test.each([[[]], [['--dry-run']], [['--var', 'branch=main']], [['--public']]])(
  '`pipelines update` says that a manifest manages the pipeline, and nothing else: %j',
  async (more) => {
    const ran = await run('pipelines', 'update', 'app', '--config', other, ...more);
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(
      'a manifest manages the pipeline main/app, so it cannot be updated here: change',
    );
    expect(server.asked).toHaveLength(1);
  },
);

test('`diff` compares its text', async () => {
  expect(await run('diff', 'app', '--config', same)).toMatchObject({ exit: 0, out: '', err: '' });
  const ran = await run('diff', 'app', '--config', other);
  expect([ran.exit, ran.out]).toEqual([1, expect.stringContaining('  +       cmd = "make test"\n')]);
});

test('`diff` does not report its variables as added, because the server does not send them', async () => {
  const ran = await run('diff', 'app', '--config', same, '--var', 'branch=main');
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toContain('the server does not tell its variables: remove --var and --vars to compare');
});

test('`pipelines get --config` prints its text, and no empty variables', async () => {
  expect(await run('pipelines', 'get', 'app', '--config')).toMatchObject({ exit: 0, out: CONFIG });
  const { out } = await run('pipelines', 'get', 'app', '--config', '--output', 'json');
  expect(JSON.parse(out)).toEqual({ name: 'app', config: CONFIG, managed_by_manifest: true });
});

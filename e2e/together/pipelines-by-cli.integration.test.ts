import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import {
  eventually,
  startTestInstallation,
  type TestInstallation,
} from '#testing/together/operator-and-gateway.ts';

/*
 * Pipelines managed with the command line, through the public gateway, with a real API server and a running
 * operator.
 */
const TEAM = 'makers';
let installation: TestInstallation;
let token: string;
let folder: string;
let count = 0;
let name: string;

beforeAll(async () => {
  installation = await startTestInstallation({ sessionSeconds: 0 });
  await installation.apply(KINDS.teams, { metadata: { name: TEAM }, spec: {} });
  await eventually(
    async () => await installation.stores.access.members.team(TEAM),
    (team) => team !== undefined,
  );
  await installation.gateway.account('ann', { teams: { [TEAM]: 'maintain' } });
  token = await installation.gateway.session('ann');
  folder = mkdtempSync(join(tmpdir(), 'millrace-pipelines-'));
}, 600_000);
beforeEach(() => {
  count += 1;
  name = `app-${count}`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await installation.close();
}, 600_000);

interface RunOptions {
  input?: string;
  ask?: (question: string) => Promise<string>;
}

async function run(line: string, options: RunOptions = {}): Promise<CommandResult> {
  const environment = {
    XDG_CONFIG_HOME: folder,
    MILLRACE_URL: installation.gateway.base,
    MILLRACE_TOKEN: token,
  };
  return await millrace(`millrace pipelines ${line} --team ${TEAM}`, { environment, ...options });
}

const text = (job: string, more = ''): string =>
  `${more}job "${job}" {\n  task "hello" {\n    run "shell" {\n      cmd = "echo hello"\n    }\n  }\n}\n`;
const WHO = 'variable "who" {\n  type = string\n}\n';
const INVALID = 'job "a" {\n  get "git" "nowhere" {}\n  tsk "b" {}\n}\n';
const PLACE_OF_ERROR = ':3:3: error[';

function fileOf(content: string): string {
  const file = join(folder, `${name}.hcl`);
  writeFileSync(file, content);
  return file;
}

const create = async (config = text('first'), more = ''): Promise<CommandResult> =>
  await run(`create ${name} -c ${fileOf(config)}${more}`);

/** The diagnostics, without the last line, which sums them up. */
const blocks = (ran: CommandResult): string[] => ran.out.split('\n').slice(0, -2);

describe('a pipeline', () => {
  test('is created, shown and listed', async () => {
    expect(await create()).toMatchObject({ exit: 0, out: `${TEAM}/${name}: created, it runs\n`, err: '' });
    const shown = await run(`get ${name}`);
    expect(shown.out).toContain(`name:         ${TEAM}/${name}\nvisible to:   the team\n`);
    const listed = await run('list');
    expect(listed.out).toMatch(/^NAME +JOBS +RESOURCES +REVISION +VISIBLE TO\n/);
    expect(listed.out).toContain(`${name}   1      0           1          the team\n`);
    const rows: { name: string }[] = JSON.parse((await run('list --output json')).out);
    expect(rows.find((row) => row.name === name)).toMatchObject({ jobs: 1, public: false });
    expect((await run(`get ${name} --config`)).out).toBe(text('first'));
    expect((await run(`get -n ${name} --output json`)).out).toContain(`"name": "${name}"`);
    expect(await create()).toMatchObject({
      exit: 2,
      err: `millrace: Pipeline ${name} exists already. To change it, run millrace pipelines update.\n`,
    });
  });

  test('is renamed, and found under its new name', async () => {
    await create();
    expect(await run(`rename ${name} --new-name new-${name}`)).toMatchObject({
      exit: 0,
      out: `${TEAM}/new-${name}: renamed from ${name}, it runs\n`,
      err: '',
    });
    expect((await run(`get new-${name} --config`)).out).toBe(text('first'));
    expect((await run(`get ${name}`)).exit).toBe(2);
    expect(await run(`rename new-${name} --new-name No`)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('name'),
    });
  });

  test('is not created from an invalid text, whose errors are shown with the lines of the file', async () => {
    const refused = await create(INVALID);
    const file = join(folder, `${name}.hcl`);
    expect([refused.exit, refused.err]).toEqual([1, '']);
    expect(refused.out).toContain(`${file}${PLACE_OF_ERROR}`);
    expect(refused.out).toContain(`\n3 |   tsk "b" {}\n  |   ^~~\n  = in job "a"\n  = help: `);
    expect(refused.out).toMatch(/\.hcl: not valid, \d+ errors\n$/);
    const offline = await millrace(`millrace validate ${file}`);
    expect(blocks(refused)).toEqual(blocks(offline));
    const asJson = await create(INVALID, ' --output json');
    expect([asJson.exit, JSON.parse(asJson.out)]).toMatchObject([
      1,
      { valid: false, findings: [{ line: 2 }, { line: 3, end_column: 6 }] },
    ]);
    expect((await run(`get ${name}`)).err).toContain('does not exist. Check the name and --team.');
    expect(await run(`validate ${file}`)).toMatchObject({ exit: 1, out: refused.out });
    expect(await run(`validate ${fileOf(text('first'))}`)).toMatchObject({
      exit: 0,
      out: `${file}: valid\n`,
    });
  });

  test('is updated after the command has shown the differences', async () => {
    await create(text('first', WHO), ' --var who=x');
    const dry = await run(`update ${name} -c ${fileOf(text('second', WHO))} --public --dry-run`);
    const change = [
      `${TEAM}/${name}:`,
      '  public: false → true',
      '    variable "who" {',
      '      type = string',
      '    }',
      '  - job "first" {',
      '  + job "second" {',
      '      task "hello" {',
      '        run "shell" {',
      '          cmd = "echo hello"',
      '  …',
      '',
    ].join('\n');
    expect(dry).toMatchObject({ exit: 0, out: `${change}${folder}/${name}.hcl: valid\n` });
    expect((await run(`get ${name} --config`)).out).toBe(text('first', WHO));
    const updated = await run(`update ${name} -c ${fileOf(text('second', WHO))} --public`);
    expect(updated).toMatchObject({ exit: 0, out: `${change}${TEAM}/${name}: updated, it runs\n` });
    expect(JSON.parse((await run(`get ${name} --output json`)).out)).toMatchObject({
      public: true,
      revision: 2,
    });
    const wrong = await run(`update ${name} -c ${fileOf(INVALID)}`);
    expect([wrong.exit, wrong.out]).toEqual([1, expect.stringContaining(PLACE_OF_ERROR)]);
    const madePrivate = await run(`update -n ${name} --private --display-name The-App`);
    expect(madePrivate.out).toContain(`  display name: none → The-App\n  public: true → false\n`);
    expect((await run(`update ${name}`)).out).toContain(`${TEAM}/${name}: no changes\n`);
  });

  test('keeps variables that --var does not name, but drops variables that a file of --vars omits', async () => {
    const two = `${WHO}variable "where" {\n  type    = string\n  default = "here"\n}\n`;
    await create(text('first', two), ' --var who=x --var where=y');
    const varsOf = async (): Promise<unknown> =>
      JSON.parse((await run(`get ${name} --config --output json`)).out).vars;
    expect((await run(`update ${name} --var who=z`)).out).toContain('  variable who: changed\n');
    expect(await varsOf()).toEqual({ who: 'z', where: 'y' });
    const vars = join(folder, 'vars.json');
    writeFileSync(vars, JSON.stringify({ who: 1 }));
    const output = await run(`update ${name} --vars ${vars} --output json`);
    expect(JSON.parse(output.out)).toMatchObject({
      ready: true,
      changes: { settings: ['variable where: removed', 'variable who: changed'], lines: [] },
    });
    expect(await varsOf()).toEqual({ who: '1' });
  });

  test('has its sources fetched again by an update without changes', async () => {
    let fetched = 0;
    const sources = createServer((_asked, answer) => {
      fetched += 1;
      answer.end('resource_type "own" {\n  check "shell" {\n    cmd = "true"\n  }\n}\n');
    });
    await new Promise<void>((resolve) => sources.listen(0, '127.0.0.1', resolve));
    try {
      const address = sources.address();
      const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const spec = { sources: { allowHTTP: true, allowedHosts: [host, '127.0.0.1:1'] } };
      await installation.apply(KINDS.teams, { metadata: { name: TEAM }, spec });
      const config = `resource_type "own" {\n  source = "http://${host}/own.hcl"\n}\nresource "own" "x" {}\n`;
      await create(`${config}${text('first')}`);
      await eventually(
        async () => fetched,
        (times) => times === 1,
      );
      expect((await run(`update ${name}`)).out).toContain('no changes\n');
      await eventually(
        async () => fetched,
        (times) => times === 2,
      );
    } finally {
      sources.closeAllConnections();
      sources.close();
    }
  });

  test('that is created but does not run gives an exit code other than 0 and the reason', async () => {
    const config =
      'resource_type "own" {\n  source = "https://127.0.0.1:1/own.hcl"\n}\nresource "own" "x" {}\n' +
      text('first');
    const ran = await create(config);
    expect([ran.exit, ran.out]).toEqual([
      1,
      expect.stringContaining(`${TEAM}/${name}: created, it does not run yet: SourceUnavailable: `),
    ]);
    expect(ran.out).toContain('.hcl:2:');
  });

  test('is deleted after a confirmation', async () => {
    await create();
    const asked: string[] = [];
    const answer = (words: string) => ({
      ask: async (question: string) => {
        asked.push(question);
        return words;
      },
    });
    expect(await run(`delete ${name}`)).toMatchObject({ exit: 2, err: expect.stringContaining('add --yes') });
    expect(await run(`delete ${name}`, answer(''))).toMatchObject({
      exit: 2,
      err: 'millrace: nothing was deleted\n',
    });
    expect(asked).toEqual([
      expect.stringContaining(`Delete ${TEAM}/${name} at ${installation.gateway.base}?`),
    ]);
    expect(await run(`delete ${name}`, answer('y'))).toMatchObject({
      exit: 0,
      out: `${TEAM}/${name}: deleted\n`,
    });
    expect(await run(`delete ${name} --yes`)).toMatchObject({ exit: 2 });
  });

  test('of a manifest cannot be changed or deleted, and its text can be read once it runs', async () => {
    const spec = { config: text('first') };
    await installation.apply(KINDS.pipelines, { metadata: { namespace: TEAM, name }, spec });
    for (const line of [`update ${name} --public`, `delete ${name} --yes`]) {
      const refused = await run(line);
      expect([line, refused.exit, refused.out]).toEqual([line, 2, '']);
      expect(refused.err).toContain('is managed by a manifest');
    }
    while ((await run(`get ${name} --config`)).exit !== 0) await sleep(100);
    expect((await run(`get ${name} --config`)).out).toBe(text('first'));
  });
});

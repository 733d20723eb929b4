import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { millrace } from '#testing/cli/command-line.ts';
import { openFakeServer } from '#testing/cli/fake-server.ts';

const THERE = 'https://there.example.org';
let server: Awaited<ReturnType<typeof openFakeServer>>;
let home: string;
const credentialsPath = (): string => join(home, 'millrace', 'credentials.json');

beforeAll(async () => {
  server = await openFakeServer((route) =>
    route === 'GET /profile' ? { data: { username: 'ann', global_admin: false, teams: {} } } : { data: [] },
  );
});
afterAll(async () => await server.close());
beforeEach(() => {
  server.requests.length = 0;
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
  // The file as an older version of the command line stored it.
  const servers = { [server.url]: { token: 'tok_here', username: 'ann' }, [THERE]: { token: 'tok_there' } };
  mkdirSync(join(home, 'millrace'));
  writeFileSync(credentialsPath(), JSON.stringify({ current: server.url, servers }));
  chmodSync(credentialsPath(), 0o600);
});
afterEach(() => rmSync(home, { recursive: true }));

const run = async (line: string, variables: Record<string, string> = {}, input = '') =>
  await millrace(`millrace ${line}`, { environment: { XDG_CONFIG_HOME: home, ...variables }, input });

/** Runs a command and returns the team whose data it requested. */
async function teamOf(line: string, variables: Record<string, string> = {}): Promise<string | undefined> {
  server.requests.length = 0;
  const ran = await run(line, variables);
  expect([line, ran.exit]).toEqual([line, 0]);
  return /^GET \/teams\/([^/]+)\//.exec(server.requests[0]?.route ?? '')?.[1];
}
const host = (): string => new URL(server.url).host;

describe('contexts', () => {
  test('are those of the logins of an older version', async () => {
    expect((await run('contexts list')).out).toMatch(
      new RegExp(
        `^CURRENT +NAME +SERVER +TEAM +USER\n\\* +${host()} +${server.url} +main +ann\n {10}there.example.org `,
      ),
    );
    expect((await run('contexts list -o name')).out).toBe(`context/${host()}\ncontext/there.example.org\n`);
  });

  test('are switched, in a file that only its owner can read', async () => {
    await run('contexts use there.example.org');
    expect(statSync(credentialsPath()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(credentialsPath(), 'utf8'))).toMatchObject({
      current: THERE,
      current_context: 'there.example.org',
    });
    expect((await run('contexts list -o jsonpath={.items[*].current}')).out).toBe('false true');
  });

  test('are deleted; deleting the last one of a server also logs out there', async () => {
    await run(`login ${server.url} --token --context work`, {}, 'tok_here');
    expect((await run(`contexts delete ${host()}`)).err).toContain('You are still logged in');
    expect((await run('contexts delete work')).err).toContain(`Logged out at ${server.url}.`);
    expect((await run('contexts list -o name')).out).toBe('context/there.example.org\n');
  });

  test('are deleted; another context of the same server then becomes the current one', async () => {
    await run(`login ${server.url} --token --context work`, {}, 'tok_here');
    expect((await run('contexts delete work')).err).toContain(`The current context is now ${host()}.`);
    expect(await teamOf('pipelines list')).toBe('main');
  });

  test('cannot get a team before the first login', async () => {
    const ran = await run('contexts set-team shop', { XDG_CONFIG_HOME: join(home, 'empty') });
    expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('there is no current context') });
  });

  test.each(['contexts use toString', 'contexts delete nope', 'pipelines list --context nope'])(
    'are refused by `%s` if their name does not exist',
    async (line) => {
      const ran = await run(line);
      expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('millrace contexts list')]);
    },
  );
});

describe('a command without --team', () => {
  test('uses the team of its context, otherwise main', async () => {
    expect(await teamOf('pipelines list')).toBe('main');
    await run('contexts set-team shop');
    expect(await teamOf('pipelines list')).toBe('shop');
    expect(await teamOf('pipelines list --team web')).toBe('web');
    await run(`login ${server.url} --token --context work --team ops`, {}, 'tok_here');
    expect(await teamOf('pipelines list')).toBe('ops');
    expect(await teamOf(`pipelines list --context ${host()}`)).toBe('shop');
  });

  test('uses the team only at the server of the context', async () => {
    await run('contexts set-team shop');
    const ci = { MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_ci' };
    expect(await teamOf('pipelines list', ci)).toBe('shop');
    await run('contexts use there.example.org');
    await run('contexts set-team far');
    expect(await teamOf('pipelines list', ci)).toBe('main');
    expect(await teamOf(`pipelines list --url ${server.url}`)).toBe('main');
  });
});

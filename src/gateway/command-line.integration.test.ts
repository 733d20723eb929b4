import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { tlsInFront } from '#testing/network/tls-in-front.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Login, logout and credentials of the command line, at the public gateway over a real Postgres. */
const PASSWORD = 'correct horse battery';

let stores: TestStores;
let gateway: Gateway;
let home: string;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

interface RunOptions {
  input?: string;
  /** What the person types, in order. */
  typed?: string[];
  environment?: Record<string, string>;
}

async function run(
  line: string,
  { input = '', typed, environment = {} }: RunOptions = {},
): Promise<CommandResult> {
  const answers = [...(typed ?? [])];
  return await millrace(`millrace ${line}`, {
    input,
    environment: { XDG_CONFIG_HOME: home, ...environment },
    ...(typed && { ask: async () => answers.shift() ?? '' }),
  });
}

const credentialsFile = (): string => join(home, 'millrace', 'credentials.json');
const readCredentials = () => JSON.parse(readFileSync(credentialsFile(), 'utf8'));
const login = async (flags: string, options: RunOptions) =>
  await run(`login ${gateway.base} ${flags}`.trim(), options);

describe('`millrace login`', () => {
  test('stores the session in a file that only its owner can read', async () => {
    await gateway.account('ann', { teams: { main: 'maintain' }, password: PASSWORD });
    const ran = await login('--username ann', { input: `${PASSWORD}\n` });
    expect([ran.exit, ran.out]).toEqual([0, '']);
    expect(ran.err).toContain(`Logged in at ${gateway.base} as ann until 20`);
    expect(statSync(credentialsFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'millrace')).mode & 0o777).toBe(0o700);
    expect(readCredentials()).toEqual({
      current: gateway.base,
      current_context: new URL(gateway.base).host,
      servers: { [gateway.base]: { token: expect.stringContaining('.'), username: 'ann' } },
      contexts: { [new URL(gateway.base).host]: { url: gateway.base } },
    });
    expect(await run('whoami')).toMatchObject({ exit: 0, out: `ann at ${gateway.base}: main (maintain)\n` });
    const asJson = await run('whoami --output json');
    expect(JSON.parse(asJson.out)).toEqual({
      url: gateway.base,
      username: 'ann',
      global_admin: false,
      teams: { main: 'maintain' },
    });
  });

  test('prompts for the password on a terminal', async () => {
    await gateway.account('ann', { password: PASSWORD });
    expect(await login('--username ann', { typed: [PASSWORD] })).toMatchObject({ exit: 0 });
    expect(await run('whoami')).toMatchObject({ out: `ann at ${gateway.base}: in no team\n` });
  });

  test('changes a password that an admin gave, and stores the new session', async () => {
    await gateway.account('root', { globalAdmin: true });
    const root = await gateway.session('root');
    await gateway.ask('POST /users', { as: root, body: { username: 'bob', password: PASSWORD } });
    const piped = await login('--username bob', { input: PASSWORD });
    expect([piped.exit, piped.err]).toEqual([2, expect.stringContaining('change this password first')]);
    const newPassword = 'a sentence of my own';
    const mistyped = await login('--username bob', { typed: [PASSWORD, newPassword, 'another'] });
    expect([mistyped.exit, mistyped.err]).toEqual([2, expect.stringContaining('the two passwords differ')]);
    const typed = [PASSWORD, newPassword, newPassword];
    expect(await login('--username bob', { typed })).toMatchObject({ exit: 0 });
    expect(await run('whoami')).toMatchObject({ exit: 0 });
    expect(await login('--username bob', { input: PASSWORD })).toMatchObject({ exit: 2 });
  });

  test('stores an API token of a person or of a team', async () => {
    await gateway.account('ann', { teams: { main: 'maintain' } });
    const session = await gateway.session('ann');
    const own = await gateway.token(session, { name: 'own', personal: true });
    expect(await login('--token', { input: `${own}\r\n` })).toMatchObject({ exit: 0 });
    expect(readCredentials().servers[gateway.base]).toEqual({ token: own, username: 'ann' });
    const options = { name: 'ci', personal: false, team_canonical: 'main', role: 'write' };
    const ofTeam = await gateway.token(session, options);
    expect(await login('--token', { input: ofTeam })).toMatchObject({ exit: 0 });
    expect(readCredentials().servers[gateway.base]).toEqual({ token: ofTeam });
    expect(await run('whoami')).toMatchObject({
      exit: 0,
      out: `You use a token of a team or of the installation at ${gateway.base}. It belongs to no account.\n`,
    });
  });

  test('does not repeat a token that was given as an argument', async () => {
    const ran = await login('--token tok_secret', { input: 'x' });
    expect([ran.exit, ran.err]).toEqual([
      2,
      expect.stringContaining('do not pass a token or password as an argument'),
    ]);
    expect(ran.err).not.toContain('tok_secret');
  });

  const refused: Record<string, [flags: string, options: RunOptions, message: string]> = {
    'the password is wrong': ['--username ann', { input: 'wrong' }, 'The username or the password is wrong.'],
    'the token is unknown': ['--token', { input: 'tok_x' }, 'The token is not valid here.'],
    'the token is empty': ['--token', { input: '' }, 'the input is empty: nothing was sent'],
    'it cannot prompt and gets no user name': ['', { input: 'x' }, 'cannot prompt here: add --username'],
  };
  test.each(Object.entries(refused))('stores nothing if %s', async (_name, [flags, options, message]) => {
    await gateway.account('ann', { password: PASSWORD });
    const ran = await login(flags, options);
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(message);
    expect(() => readCredentials()).toThrow('ENOENT');
  });
});

describe('after the login', () => {
  test('the server ends the session at logout', async () => {
    await gateway.account('ann', { password: PASSWORD });
    await login('--username ann', { input: PASSWORD });
    const { token } = readCredentials().servers[gateway.base];
    expect(await run('logout')).toMatchObject({ exit: 0, err: `Logged out at ${gateway.base}.\n` });
    expect(readCredentials()).toEqual({ servers: {} });
    expect((await gateway.ask('GET /profile', { as: token })).status).toBe(401);
    expect(await run('logout')).toMatchObject({ exit: 2, err: 'millrace: you are not logged in\n' });
    expect((await run('whoami')).err).toContain('no server: run millrace login');
  });

  test('a command whose session is over says to log in again', async () => {
    await gateway.account('ann', { password: PASSWORD });
    await login('--username ann', { input: PASSWORD });
    const { token } = readCredentials().servers[gateway.base];
    await gateway.ask('POST /auth/logout', { as: token });
    expect(await run('whoami')).toMatchObject({
      exit: 2,
      err: `millrace: The token is not valid here. Log in: run millrace login ${gateway.base}\n`,
    });
    expect(await run('logout')).toMatchObject({ exit: 0, err: `Logged out at ${gateway.base}.\n` });
  });

  test('logout forgets an API token and says how to delete it', async () => {
    await gateway.account('ann', {});
    const token = await gateway.token(await gateway.session('ann'), { name: 'own', personal: true });
    await login('--token', { input: token });
    expect((await run('logout')).err).toContain(`stays valid: delete it at ${gateway.base}/profile`);
    expect((await gateway.ask('GET /profile', { as: token })).status).toBe(200);
  });

  test('environment variables replace a login in CI, and nothing is stored', async () => {
    await gateway.account('ann', { teams: { main: 'read' } });
    const token = await gateway.token(await gateway.session('ann'), { name: 'own', personal: true });
    const tokenFile = join(home, 'token');
    writeFileSync(tokenFile, `${token}\n`);
    for (const tokenVariable of [{ MILLRACE_TOKEN: token }, { MILLRACE_TOKEN_FILE: tokenFile }]) {
      const environment = { MILLRACE_URL: `${gateway.base}/`, ...tokenVariable };
      expect(await run('whoami', { environment })).toMatchObject({ exit: 0, err: '' });
    }
    expect(() => readCredentials()).toThrow('ENOENT');
    const wrong = { MILLRACE_URL: gateway.base, MILLRACE_TOKEN: 'tok_x' };
    expect((await run('whoami', { environment: wrong })).err).toContain('Check MILLRACE_TOKEN');
    const nowhere = await run('whoami', { environment: { MILLRACE_TOKEN: token } });
    expect(nowhere.err).toContain('MILLRACE_URL is not: set it to the server of the token');
  });

  test('a credentials file that others can read is refused', async () => {
    await gateway.account('ann', { password: PASSWORD });
    await login('--username ann', { input: PASSWORD });
    chmodSync(credentialsFile(), 0o644);
    expect((await run('whoami')).err).toContain(
      `other users of this machine can access it: run chmod 600 ${credentialsFile()}`,
    );
    chmodSync(credentialsFile(), 0o600);
    writeFileSync(credentialsFile(), '{');
    expect((await run('whoami')).err).toContain('is not valid');
  });
});

/** Runs the command in a new process, because trusted certificates are set per process. */
async function runInProcess(
  args: string[],
  { input = '', ...environment }: Record<string, string> = {},
): Promise<Omit<CommandResult, 'bytes'>> {
  const main = join(import.meta.dirname, '..', 'main.ts');
  const env = { XDG_CONFIG_HOME: home, ...environment };
  return await new Promise((resolve) => {
    const child = execFile(globalThis.process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ exit: Number(error?.code ?? 0), out, err }),
    );
    child.stdin?.end(input);
  });
}

test("the server's certificate is verified with the authority given at login", async () => {
  await gateway.account('ann', { teams: { main: 'read' } });
  const token = await gateway.token(await gateway.session('ann'), { name: 'own', personal: true });
  const front = await tlsInFront(gateway.base);
  try {
    const url = `https://127.0.0.1:${front.port}`;
    const unknown = await runInProcess(['login', url, '--token'], { input: token });
    expect([unknown.exit, unknown.out]).toEqual([2, '']);
    expect(unknown.err).toContain("this machine does not trust the issuer of the server's certificate");
    const authority = join(home, 'ca.pem');
    writeFileSync(authority, front.cert);
    const known = await runInProcess(['login', url, '--token', '--ca-file', authority], { input: token });
    expect(known).toMatchObject({ exit: 0, out: '' });
    expect(readCredentials().servers[url]).toEqual({ token, username: 'ann', ca_file: authority });
    const out = `ann at ${url}: main (read)\n`;
    expect(await runInProcess(['whoami'])).toEqual({ exit: 0, out, err: '' });
    const ci = { MILLRACE_URL: url, MILLRACE_TOKEN: token, XDG_CONFIG_HOME: join(home, 'none') };
    expect(await runInProcess(['whoami'], ci)).toMatchObject({ exit: 2 });
    expect(await runInProcess(['whoami'], { ...ci, MILLRACE_CA_FILE: authority })).toMatchObject({
      exit: 0,
      out,
    });
    const otherName = await runInProcess(['whoami', '--url', `https://localhost:${front.port}`], {
      ...ci,
      MILLRACE_URL: `https://localhost:${front.port}`,
      MILLRACE_CA_FILE: authority,
    });
    expect([otherName.exit, otherName.err]).toEqual([
      2,
      expect.stringContaining("the server's certificate is for another name"),
    ]);
  } finally {
    await front.close();
  }
});

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  commit,
  folder,
  git,
  origin,
  root,
  runProgram,
  useGitServer,
  type Outcome,
} from '#testing/pipelines/git-under-test.ts';
import { startSshServer, type SshServer } from '#testing/process/ssh-server.ts';
import { check } from './git-check.ts';
import { pull } from './git-pull.ts';
import { push } from './git-push.ts';
import { hostsWithKeys } from './git-ssh.ts';

useGitServer();

let server: SshServer;
beforeAll(async () => {
  server = await startSshServer();
});
afterAll(async () => {
  await server.stop();
});

const url = (): string => `ssh://${server.authority}${origin}`;
const parameters = (): Record<string, string> => ({
  param_url: url(),
  param_name: 'app',
  param_private_key: server.keys.right,
  param_known_hosts: server.knownHosts.right,
});
const run = (script: string, variables: Record<string, string>): Promise<Outcome> =>
  runProgram('/bin/sh', ['-ec', script], { cwd: folder, env: { ...parameters(), ...variables } });

describe('git over SSH', () => {
  test('checks, gets and puts a repository, and its tags', async () => {
    await git('-C', origin, 'config', 'uploadpack.allowFilter', 'true');
    const id = await commit('one');
    expect(await run(check, {})).toEqual({ code: 0, stdout: `[{"ref":"${id}"}]\n`, stderr: '' });
    expect(await run(pull, { version_ref: id })).toMatchObject({ code: 0 });
    await git('-C', join(folder, 'app'), 'commit', '-q', '--allow-empty', '-m', 'made by the build');
    const commitOfBuild = await git('-C', join(folder, 'app'), 'rev-parse', 'HEAD');
    const end = await run(push, { put_tag: 'v1' });
    expect(end).toEqual({ code: 0, stdout: `{"ref":"${commitOfBuild}"}\n`, stderr: '' });
    expect(await git('-C', origin, 'rev-parse', 'main', 'v1')).toBe(`${commitOfBuild}\n${commitOfBuild}`);
    const tags = await run(check, { param_tag: 'true' });
    expect(tags).toEqual({ code: 0, stdout: `[{"ref":"${commitOfBuild}","tag":"v1"}]\n`, stderr: '' });
    expect((await run(check, { version_ref: id })).stdout).toBe(`[{"ref":"${commitOfBuild}"}]\n`);
  });

  test('accepts a key with carriage returns, and without an end of the last line', async () => {
    const id = await commit('one');
    const key = server.keys.right.trimEnd().replaceAll('\n', '\r\n');
    expect((await run(check, { param_private_key: key })).stdout).toBe(`[{"ref":"${id}"}]\n`);
  });

  test.each<[title: string, variables: () => Record<string, string>, message: string]>([
    [
      'a host with another host key',
      () => ({ param_known_hosts: server.knownHosts.wrong }),
      'Host key verification failed',
    ],
    [
      'a host with an unknown host key',
      () => ({ param_known_hosts: `github.com ${server.knownHosts.right.split(' ').slice(1).join(' ')}` }),
      'Host key verification failed',
    ],
    [
      'a host for which no host key is given',
      () => ({ param_known_hosts: '' }),
      "git: set the parameter known_hosts: the host key of '127.0.0.1' is not known",
    ],
    ['no key', () => ({ param_private_key: '' }), 'git: a url for SSH needs the parameter private_key'],
    [
      'a key with a passphrase',
      () => ({ param_private_key: server.keys.withPassphrase }),
      'git: private_key has a passphrase, which is not supported',
    ],
    [
      'a text that is not a key',
      () => ({ param_private_key: 'a secret that is not a key' }),
      'git: private_key is not a private key that ssh can read',
    ],
    ['a key that may not log in', () => ({ param_private_key: server.keys.unknown }), 'Permission denied'],
    ['a token', () => ({ param_token: 'x' }), 'git: a url for SSH cannot be used with the parameter token'],
    [
      'a key for a url with https',
      () => ({ param_url: 'https://forge.example/r' }),
      'private_key works only with a url for SSH',
    ],
  ])('refuses %s', async (_title, variables, message) => {
    await commit('one');
    const end = await run(check, variables());
    expect(end.code).not.toBe(0);
    expect(end.stdout).toBe('');
    expect(end.stderr).toContain(message);
    expect(end.stderr).not.toMatch(/no key and|PRIVATE KEY|a secret that is/);
  });

  test.each([
    'ssh://-oProxyCommand=touch%20x/y',
    'ssh://git@-oProxyCommand=touch/y',
    '-oProxyCommand=touch x:y',
    'git@-oProxyCommand=touch:y',
    'ssh://a b/y',
    'ssh://h\nProxyCommand touch x/y',
    'git@*:y',
    'ssh:///y',
  ])('refuses %j as a URL', async (bad) => {
    const end = await run(check, { param_url: bad });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toMatch(/is not an SSH host|begins with a dash/);
    expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
  });

  test('knows the keys that some hosts publish', async () => {
    const PATH = await plant('ssh', 'cat "${2%/*}/known_hosts" >>"$SEEN"; exit 255');
    const SEEN = join(folder, 'seen');
    for (const host of hostsWithKeys)
      await run(check, { param_url: `git@${host}:o/r.git`, param_known_hosts: '', PATH, SEEN });
    const { stdout } = await runProgram('ssh-keygen', ['-lf', SEEN], { cwd: folder });
    const published = [
      'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU github.com',
      'SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM github.com',
      'SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8 gitlab.com',
    ];
    const lines = stdout.trim().split('\n');
    expect([...new Set(lines.map((line) => line.split(' ').slice(1, 3).join(' ')))]).toEqual(published);
  });

  test('has the key in no argument or variable of ssh, and removes its file', async () => {
    await commit('one');
    const ssh = (await runProgram('which', ['ssh'], { cwd: folder })).stdout.trim();
    const record = 'printf "%s\\n" "$@" >"$SEEN"; env >>"$SEEN"; stat -c "mode %a" "${2%/*}/key" >>"$SEEN"';
    const PATH = await plant('ssh', `${record}\nexec ${ssh} "$@"`);
    const SEEN = join(folder, 'seen');
    const end = await run(check, { PATH, SEEN, TMPDIR: folder, SSH_AUTH_SOCK: '/nowhere', SSH_ASKPASS: ssh });
    expect(end).toMatchObject({ code: 0, stderr: '' });
    const seen = await readFile(SEEN, 'utf8');
    expect(seen).toContain('mode 600\n');
    expect(seen).not.toMatch(/PRIVATE KEY|SSH_AUTH_SOCK|SSH_ASKPASS|StrictHostKeyChecking/);
    expect((await readdir(folder)).toSorted()).toEqual(['seen']);
  });

  test('gives the key to no other host, and reads no configuration but its own', async () => {
    await commit('one');
    const PATH = await plant('ssh', '/usr/bin/ssh -G -F "$2" "$OTHER" >"$SEEN"');
    const SEEN = join(folder, 'seen');
    const settingsFor = async (OTHER: string): Promise<string> => {
      await run(check, { PATH, SEEN, OTHER });
      return await readFile(SEEN, 'utf8');
    };
    expect(await settingsFor('127.0.0.1')).toMatch(/^identityfile \S*\/key$/m);
    const other = await settingsFor('other.example');
    expect(other).not.toMatch(/^identityfile \S*\/key$/m);
    expect(other).toMatch(/^stricthostkeychecking true$/m);
    expect(other).toMatch(/^identityagent none$/m);
    expect(other).toMatch(/^globalknownhostsfile \/dev\/null$/m);
  });
});

/** A PATH where this program comes first. */
async function plant(name: string, script: string): Promise<string> {
  const programs = join(root, 'programs');
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${programs}:${env['PATH'] ?? ''}`;
}

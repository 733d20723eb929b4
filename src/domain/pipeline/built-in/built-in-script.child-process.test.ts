import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { env, getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtInNotificationTypes, builtInResourceTypes } from '#domain/pipeline/built-in-types.ts';
import { runScript } from '#testing/process/run-script.ts';
import { builtInCommand, builtInScript } from './built-in-script.ts';

let [root, home, work] = ['', '', ''];
beforeEach(() => {
  root = mkdtempSync('/dev/shm/millrace-script-');
  [home, work] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, work]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true }));

function inShell(script: string): string {
  const environment = { PATH: env['PATH'], HOME: '/nowhere' };
  return execFileSync('/bin/sh', ['-ec', script], {
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

function plant(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
}

describe('every script of a built-in type', () => {
  test('begins with the prelude, so that no new type can omit it', () => {
    const prelude = builtInCommand(builtInScript(''))
      .replace('SCRIPT', '')
      .split('\n')
      .slice(1, -1)
      .join('\n');
    for (const [name, text] of [...builtInResourceTypes, ...builtInNotificationTypes]) {
      const commands = text.match(/\b(?:check|pull|push|notify) "/g) ?? [];
      expect([name, text.split(prelude).length - 1]).toEqual([name, commands.length]);
    }
  });

  test('is refused without the prelude', () => {
    expect(() => builtInCommand('echo')).toThrow('begins with the prelude');
  });

  test('has a home directory of its own, which is removed afterwards', async () => {
    const { stdout } = await runScript(builtInScript('touch "$HOME/x"; echo "$HOME"'), work, { HOME: home });
    expect(stdout.trim()).not.toBe(home);
    expect(existsSync(stdout.trim())).toBe(false);
  });

  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('removes its private directory after %s, and ends with the code %d', async (signal, code) => {
    const text = builtInScript('echo key >"$private/key"; echo "$private"; sleep 60');
    const child = spawn('/bin/sh', ['-ec', text], {
      cwd: work,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const [printed]: Buffer[] = await once(child.stdout, 'data');
    const directory = String(printed).trim();
    expect(existsSync(join(directory, 'key'))).toBe(true);
    if (child.pid !== undefined) process.kill(-child.pid, signal);
    expect(await ended).toEqual([code, null]);
    expect(existsSync(directory)).toBe(false);
  });

  test('inherits no environment variables that control git, curl, Node.js or the shell', async () => {
    const dangerous = {
      GIT_DIR: '/x',
      GIT_EXEC_PATH: '/x',
      GIT_CONFIG_PARAMETERS: "'core.hooksPath=/x'",
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: '/x',
      GIT_PROXY_COMMAND: '/x',
      GIT_SSH_COMMAND: '/x',
      GIT_ASKPASS: '/x',
      CURL_HOME: '/x',
      SSLKEYLOGFILE: '/x',
      LD_PRELOAD: '',
      NODE_OPTIONS: '--require /x',
      ENV: '/x',
    };
    const { stdout } = await runScript(builtInScript('env'), work, dangerous);
    expect(stdout.match(/^.*\/x.*$/gm)).toBeNull();
  });

  test('looks for programs first where its user cannot write', async () => {
    chmodSync(root, 0o755);
    plant(join(root, 'bin/id'), `#!/bin/sh\necho planted\n`);
    chmodSync(join(root, 'bin'), 0o777);
    const script = join(root, 'file');
    plant(script, builtInScript('cd /; id -u'));
    const asNobody = getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : ['env'];
    const output = inShell(
      `PATH=${root}/bin:.:$PATH:; export PATH; ${asNobody.join(' ')} /bin/sh -e ${script}`,
    );
    expect(output).not.toBe('planted');
  });
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#testing/network/free-port.ts';
import { installIfMissing } from './debian-packages.ts';

const SSHD = '/usr/sbin/sshd';
const run = promisify(execFile);

export interface SshServer {
  /** `<user>@<address>:<port>`. */
  authority: string;
  /** Lines of known_hosts: with the key of this server, and with another key. */
  knownHosts: { right: string; wrong: string };
  /** `right` may log in; `withPassphrase` is the same key with a passphrase; `unknown` may not log in. */
  keys: { right: string; withPassphrase: string; unknown: string };
  stop(): Promise<void>;
}

/** OpenSSH's server on a loopback address, where the user of this process may log in with a key. */
export async function startSshServer(): Promise<SshServer> {
  await installIfMissing(SSHD, 'openssh-server');
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sshd-'));
  const { username } = userInfo();
  // If root starts sshd, sshd needs this directory.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await freePort();
  const [host, other, right, unknown] = await Promise.all([
    createKey(join(folder, 'host')),
    createKey(join(folder, 'other')),
    createKey(join(folder, 'right')),
    createKey(join(folder, 'unknown')),
  ]);
  await writeFile(join(folder, 'authorized_keys'), `${right.publicKey}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'sshd_config'), configuration(folder, port));
  const server = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: 'ignore' });
  await untilOpen(port, () => server.exitCode !== null);
  const line = ({ publicKey }: Key): string =>
    `[127.0.0.1]:${port} ${publicKey.split(' ').slice(0, 2).join(' ')}\n`;
  return {
    authority: `${username}@127.0.0.1:${port}`,
    knownHosts: { right: line(host), wrong: line(other) },
    keys: {
      right: right.privateKey,
      withPassphrase: await addPassphrase(join(folder, 'right')),
      unknown: unknown.privateKey,
    },
    async stop() {
      server.kill();
      if (server.exitCode === null) await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

interface Key {
  privateKey: string;
  publicKey: string;
}

async function createKey(file: string): Promise<Key> {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file]);
  const publicKey = (await readFile(`${file}.pub`, 'utf8')).trim();
  return { privateKey: await readFile(file, 'utf8'), publicKey };
}

async function addPassphrase(file: string): Promise<string> {
  await run('cp', ['-p', file, `${file}-locked`]);
  await run('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'passphrase', '-f', `${file}-locked`]);
  return await readFile(`${file}-locked`, 'utf8');
}

const configuration = (folder: string, port: number): string => `
ListenAddress 127.0.0.1:${port}
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
`;

async function untilOpen(port: number, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    if (hasEnded()) throw new Error('sshd has ended');
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(20);
  }
}

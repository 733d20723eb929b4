import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ShimCommand, ShimExit } from '#adapters/process/shim-commands.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import { buildTestShim } from '#testing/agent/build-agent.ts';
import { LocalPod } from '#testing/agent/local-pod.ts';
import { freePort } from '#testing/network/free-port.ts';

/*
 * The image of this container has one program, and no shell, no folder for temporary files and no user. As in
 * a Pod, a copy of the shim is mounted into the container and runs the program.
 */
const SHIM_FOLDER = '/millrace/shim';

let binary = '';
let pod: LocalPod;
let server: ShimServer;
let shim: ShimConnection;

beforeAll(async () => {
  binary = await buildTestShim();
}, 600_000);

beforeEach(async () => {
  pod = new LocalPod();
  pod.open(await freePort());
  server = new ShimServer(pod.secret);
  await server.listen(pod.port);
  const rootFolder = join(pod.folder, 'root');
  for (const folder of ['bin', 'dev', 'proc', 'workdir', SHIM_FOLDER])
    mkdirSync(join(rootFolder, folder), { recursive: true });
  chmodSync(join(rootFolder, 'workdir'), 0o777);
  copyFileSync('/bin/busybox', join(rootFolder, 'bin/busybox'));
  execFileSync(binary, ['install', join(rootFolder, SHIM_FOLDER)]);
  expect(readdirSync(join(rootFolder, 'bin'))).toEqual(['busybox']);
  pod.startShim(`${SHIM_FOLDER}/millrace-shim`, 'image-1-plugin', {
    rootFolder,
    before: `mount -t proc proc ${rootFolder}/proc && mount --rbind /dev ${rootFolder}/dev`,
  });
  const connection = (await server.gather(['image-1-plugin'], 300_000)).get('image-1-plugin');
  if (!connection) throw new Error('no shim');
  shim = connection;
});
afterEach(async () => {
  await pod.close();
  server.close();
});

async function run(command: Partial<ShimCommand>): Promise<ShimExit & { output: string; stdout: string }> {
  let stdout = '';
  const wholeCommand = { argv: [], env: {}, cwd: '/workdir', ...command };
  const running = shim.run(wholeCommand, {
    onOutput: (stream, bytes) => {
      if (stream === 'stdout') stdout += bytes.toString();
    },
  });
  return { ...(await running.ended), stdout };
}

describe('an image without a shell', () => {
  test('runs its program with the arguments and variables of the command', async () => {
    const env = { PLUGIN_MESSAGE: 'configured by variables' };
    const end = await run({ argv: ['/bin/busybox', 'env'], env });
    expect(end).toMatchObject({ end: { kind: 'code', code: 0 }, message: '' });
    expect(end.stdout).toContain('PLUGIN_MESSAGE=configured by variables\n');
    expect(end.stdout).not.toContain('MILLRACE_');
  });

  test('finds a program through its PATH', async () => {
    expect(await run({ argv: ['busybox', 'pwd'] })).toMatchObject({ stdout: '/workdir\n' });
  });

  test('returns what the program exports', async () => {
    const argv = ['/bin/busybox', 'ash', '-c', 'echo A=b > "$SVC_OUTPUT"'];
    expect(await run({ argv, wantsOutput: true })).toMatchObject({ output: 'A=b\n' });
  });

  test('says that a script has no shell', async () => {
    const end = await run({ argv: ['/bin/sh', '-e'], script: 'true' });
    expect(end).toMatchObject({ end: { kind: 'not-started', code: 127 } });
    expect(end.message).toContain('/bin/sh: no such program');
  });

  test('keeps the files of its steps, and gets no folder for temporary files', async () => {
    await run({ argv: ['/bin/busybox', 'touch', 'kept'] });
    expect(readdirSync(join(pod.folder, 'root/workdir'))).toEqual(['kept']);
    expect(existsSync(join(pod.folder, 'root/tmp'))).toBe(false);
  });
});

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { guardedRequests } from '#adapters/fetch/guarded-request.ts';
import { imageRegistry } from '#adapters/registry/image-registry.ts';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { ImageAnswer } from '#flows/builds/image-ports.ts';
import { craneBinary } from './push.ts';

/** The registry of go-containerregistry: real, though without a login. */
const run = promisify(execFile);
const requests = guardedRequests({ allowedRanges: ['127.0.0.0/8'] });
const registry = imageRegistry({ send: requests.send, plainHttp: [] });
let server: ChildProcess;
let host = '';
let folder = '';
let crane = '';

beforeAll(async () => {
  crane = await craneBinary();
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
  server = spawn(crane, ['registry', 'serve', '--address', '127.0.0.1:0'], { stdio: 'pipe' });
  host = `127.0.0.1:${await portOf(server)}`;
  await writeFile(join(folder, 'file'), 'text');
  await run('tar', ['-cf', join(folder, 'layer.tar'), '-C', folder, 'file']);
  for (const architecture of ['amd64', 'arm64']) {
    const image = `${host}/team/tool:${architecture}`;
    await run(crane, ['append', '--new_layer', join(folder, 'layer.tar'), '--new_tag', image]);
    const words = ['--entrypoint', `/plugin,${architecture}`, '--cmd', '--help', '--workdir', '/app'];
    await run(crane, ['mutate', ...words, '--set-platform', `linux/${architecture}`, '--tag', image, image]);
  }
  const manifests = ['amd64', 'arm64'].flatMap((name) => ['--manifest', `${host}/team/tool:${name}`]);
  await run(crane, ['index', 'append', ...manifests, '--tag', `${host}/team/tool:1`]);
}, 600_000);
afterAll(async () => {
  server.kill();
  await requests.close();
  await rm(folder, { recursive: true });
});

async function lookUp(image: string, architecture = 'amd64'): Promise<ImageAnswer<ImageConfiguration>> {
  const open = registry.open(image, []);
  const digest = await open.digest();
  return 'found' in digest ? await open.configuration(digest.found, architecture) : digest;
}

test.each(['amd64', 'arm64'])('an image for several platforms is resolved for %s', async (architecture) => {
  expect(await lookUp(`${host}/team/tool:1`, architecture)).toEqual({
    found: { entrypoint: ['/plugin', architecture], cmd: ['--help'], workingDir: '/app' },
  });
});

test('an image is found by its digest', async () => {
  const { stdout } = await run(crane, ['digest', `${host}/team/tool:arm64`]);
  expect(await lookUp(`${host}/team/tool@${stdout.trim()}`)).toMatchObject({
    found: { entrypoint: ['/plugin', 'arm64'] },
  });
});

test('a missing image is reported as missing', async () => {
  expect(await lookUp(`${host}/team/other:1`)).toEqual({
    failure: `The registry ${host} has no image team/other:1.`,
    transient: true,
  });
});

function portOf(registryServer: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    registryServer.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const port = /serving on port (?<port>\d+)\n/.exec(printed)?.groups?.['port'];
      if (port !== undefined) resolve(port);
    });
    registryServer.once('exit', () => reject(new Error(`the registry did not start: ${printed}`)));
  });
}

import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runOrThrow } from '#e2e/support/command.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, data, pipelineApi } from '#e2e/support/gateway.ts';
import { list } from '#e2e/support/read-objects.ts';
import { testRegistry } from '#tools/cluster/addresses.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { containerdSocket, snapshotter } from '#tools/cluster/node-config.ts';
import { craneBinary } from '#tools/images/push.ts';

/** An image without a shell, loaded into the node like all images of the tests. */
const LOADED = `localhost/millrace-plugin:${process.env['IMAGE_TAG'] ?? 'dev'}`;
const HOST = `${testRegistry.address}:${testRegistry.port}`;

let registry: ChildProcess | undefined;
/** Name by digest of an image that the node has and Millrace has not looked up yet. */
let secondImage = '';

async function startRegistry(): Promise<void> {
  const crane = await craneBinary();
  const started = spawn(crane, ['registry', 'serve', '--address', HOST], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  registry = started;
  await new Promise<void>((resolve, reject) => {
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('serving on')) resolve();
    });
    started.once('exit', (code) => reject(new Error(`the registry ended with ${code}`)));
  });
}

async function stopRegistry(): Promise<void> {
  const stoppedRegistry = registry;
  registry = undefined;
  if (stoppedRegistry === undefined) return;
  await new Promise((resolve) => {
    stoppedRegistry.once('exit', resolve);
    stoppedRegistry.kill();
  });
}

const folders = foldersFrom(process.env);
const address = ['--address', containerdSocket(folders), '--namespace', 'k8s.io'];
const ctr = (...args: string[]): Promise<string> =>
  runOrThrow(binaryPath(folders, 'ctr'), [...address, 'images', ...args]);

/** The name by digest of the repository's image in the registry. */
async function nameByDigest(repository: string): Promise<string> {
  const digest = await runOrThrow(await craneBinary(), ['digest', '--insecure', `${HOST}/${repository}:1`]);
  return `${HOST}/${repository}@${digest.trim()}`;
}

/** Pushes the loaded image, and gives it its name by digest on the node. Returns that name. */
async function push(repository: string): Promise<string> {
  await ctr('push', '--plain-http', `${HOST}/${repository}:1`, LOADED);
  const name = await nameByDigest(repository);
  await ctr('tag', '--force', LOADED, name);
  return name;
}

/** Does the same as `push` with a new digest, because Millrace remembers the entrypoint of each digest. */
async function pushAnother(repository: string): Promise<string> {
  await push(repository);
  const tag = `${HOST}/${repository}:1`;
  const label = ['--label', `pushed=${Date.now()}`];
  await runOrThrow(await craneBinary(), ['mutate', '--insecure', ...label, '--tag', tag, tag]);
  const name = await nameByDigest(repository);
  await ctr('pull', '--plain-http', '--snapshotter', snapshotter(folders), name);
  return name;
}

const job = (name: string, image: string, attributes = ''): string => `
job "${name}" {
  task "run" {
    run "docker" {
      image = "${image}"
      env   = { PLUGIN_MESSAGE = "configured by variables" }
      ${attributes}
    }
  }
}
`;

const TEAM = teamName('e2e-entrypoints');
const api = pipelineApi(TEAM, 'app');

const embedded = isEmbedded ? describe : describe.skip;

embedded('an image without a shell', () => {
  beforeAll(async () => {
    await startRegistry();
    const first = await push('plugin');
    secondImage = await pushAnother('second');
    await createTeam(TEAM);
    await createPipeline(
      TEAM,
      'app',
      [
        job('entrypoint', first),
        job('later', secondImage),
        job('program', LOADED, 'args = ["--entrypoint", "/usr/bin/busybox"]'),
        job('loaded', LOADED),
      ].join('\n'),
    );
  }, 600_000);
  afterAll(async () => {
    await deleteTeam(TEAM);
    await stopRegistry();
  }, 600_000);

  test('runs its entrypoint with the variables of the image, of the step and of the build', async () => {
    const { number } = created(await api.trigger('entrypoint'));
    expect(await buildEnded(TEAM, 'app', 'entrypoint', number)).toMatchObject({ status: 'succeeded' });
    const log = await api.log('entrypoint', number);
    const lines = ['configured by variables', 'from the image: yes', 'job: entrypoint', 'arguments: one two'];
    for (const line of lines) expect(log).toContain(line);
  }, 600_000);

  test('runs another program without a look-up', async () => {
    const { number } = created(await api.trigger('program'));
    expect(await buildEnded(TEAM, 'app', 'program', number)).toMatchObject({ status: 'succeeded' });
    expect(await api.log('program', number)).toContain('BusyBox');
  }, 600_000);

  test('fails with the reason if it is in no registry', async () => {
    const { number } = created(await api.trigger('loaded'));
    expect(await buildEnded(TEAM, 'app', 'loaded', number)).toMatchObject({
      status: 'failed',
      reason: 'ImagePullFailed',
      message: expect.stringContaining('are in no registry'),
    });
  }, 600_000);

  test('waits with the reason while its registry is unreachable, then runs', async () => {
    await stopRegistry();
    const { number } = created(await api.trigger('later'));
    await eventually(async () => {
      const { builds } = await data<{ builds: { job: string; reasons: { message: string }[] }[] }>(
        'GET',
        `${api.path}/waiting`,
      );
      const reasons = builds.filter((build) => build.job === 'later').flatMap((build) => build.reasons);
      expect(JSON.stringify(reasons)).toContain('refuses connections');
    });
    await startRegistry();
    await ctr('push', '--plain-http', `${HOST}/second:1`, secondImage);
    expect(await buildEnded(TEAM, 'app', 'later', number)).toMatchObject({ status: 'succeeded' });
  }, 600_000);

  test('starts with the shim, which a hook has copied, as its command', async () => {
    const { number } = created(await api.trigger('entrypoint'));
    const selector = 'millrace.dev/kind=build,millrace.dev/job=entrypoint';
    await eventually(async () => {
      const pods = await list('pods', '--namespace', TEAM, '--selector', selector);
      expect(JSON.stringify(pods.at(-1)?.spec)).toContain('["/millrace/shim/millrace-shim"]');
    });
    await buildEnded(TEAM, 'app', 'entrypoint', number);
  }, 600_000);
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runOrThrow } from '#e2e/support/command.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, data, pipelineApi } from '#e2e/support/gateway.ts';
import { startGitServer } from '#e2e/support/git-server.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';
import { pushFiles } from '#e2e/support/push-files.ts';
import { RegistryProcess } from '#testing/process/registry-process.ts';
import { testRegistry } from '#tools/cluster/addresses.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { containerdSocket } from '#tools/cluster/node-config.ts';
import type { ReachableService } from '#tools/demo/reach.ts';
import { craneBinary } from '#tools/images/push.ts';

/*
 * The sample that builds an image runs on the cluster with a registry that requires a login: Pods push, the
 * gateway looks up the entrypoint, and the node pulls. The Team has the Pod security standard `restricted`.
 */

const HOST = `${testRegistry.address}:${testRegistry.port}`;
const CREDENTIAL = { username: 'robot', password: 'the-password-of-the-registry' };
const BUSYBOX = `localhost/millrace-busybox:${process.env['IMAGE_TAG'] ?? 'dev'}`;

const TEAM = teamName('e2e-images');
const OTHER = `${TEAM}-other`;
const FORGE = `${TEAM}-forge`;
const api = pipelineApi(TEAM, 'app');

let registry: RegistryProcess;
let forge: ReachableService;

/** A program of the image; the base image has no Node.js. */
const FILES = { 'main.js': '#!/bin/sh\necho "hello from the image as user $(id -u)"\n' };

async function startForge(): Promise<void> {
  forge = await startGitServer(FORGE);
  await pushFiles(`${forge.url}/app.git`, FILES);
}

/** Pushes busybox as the base of the image that the sample builds. */
async function pushBase(): Promise<void> {
  const folders = foldersFrom(process.env);
  const socket = ['--address', containerdSocket(folders), '--namespace', 'k8s.io'];
  const login = ['--plain-http', '--user', `${CREDENTIAL.username}:${CREDENTIAL.password}`];
  const ctr = binaryPath(folders, 'ctr');
  await runOrThrow(ctr, [...socket, 'images', 'push', ...login, `${HOST}/team/base:24-slim`, BUSYBOX]);
}

async function createSecrets(): Promise<void> {
  const usable = { name: 'registry', namespace: TEAM, labels: { 'millrace.dev/usable': 'true' } };
  const { username, password } = CREDENTIAL;
  await apply({ apiVersion: 'v1', kind: 'Secret', metadata: usable, stringData: { password } });
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/dockerconfigjson',
    metadata: { name: 'pull', namespace: TEAM },
    stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [HOST]: { username, password } } }) },
  });
}

/**
 * The sample, with replacements for everything that it names outside the cluster. Throws if the sample does
 * not contain a text that should be replaced.
 */
function sample(): string {
  const base = `username = "robot"\n    password = var.registry_password\n    insecure = true`;
  const replacements: [from: string, to: string][] = [
    ['registry.example.org/team/app', `${HOST}/team/app`],
    ['docker.io/library/node', `${HOST}/team/base`],
    ['https://git.example.org/team/app.git', `${forge.url}/app.git`],
    ['format     = "oci"', `format     = "oci"\n    ${base}`],
    ['username   = "robot"', 'username   = "robot"\n    insecure   = true'],
    ['["node", "/app/main.js"]', '["/bin/sh", "/app/main.js"]'],
  ];
  return replacements.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`config/samples/gallery/image.hcl has no ${from}`);
      return text.replaceAll(from, () => to);
    },
    readFileSync('config/samples/gallery/image.hcl', 'utf8'),
  );
}

const digestOf = async (tag: string): Promise<string> =>
  (
    await runOrThrow(await craneBinary(), ['digest', '--insecure', `${registry.open}/team/app:${tag}`])
  ).trim();

const embedded = isEmbedded ? describe : describe.skip;

embedded('the sample that builds an image', () => {
  beforeAll(async () => {
    registry = await RegistryProcess.start(testRegistry);
    registry.rules = { login: 'basic', credential: CREDENTIAL };
    await Promise.all([
      pushBase(),
      startForge(),
      createTeam(TEAM, { podSecurity: 'restricted', defaults: { imagePullSecrets: [{ name: 'pull' }] } }),
      createTeam(OTHER),
    ]);
    await createSecrets();
    await createPipeline(TEAM, 'app', sample());
  }, 600_000);
  afterAll(async () => {
    await Promise.all([deleteTeam(TEAM), deleteTeam(OTHER)]);
    await kubectl('delete', 'namespace', FORGE, '--wait=false');
    forge.close();
    await registry.stop();
  }, 600_000);

  test('pushes an image to a private registry, which the next job runs', async () => {
    expect(await buildEnded(TEAM, 'app', 'image', '1')).toMatchObject({ status: 'succeeded' });
    expect(await digestOf('build-1')).toBe(await digestOf('edge'));
    expect(await buildEnded(TEAM, 'app', 'try', '1')).toMatchObject({ status: 'succeeded' });
    expect(await api.log('try', '1')).toContain('hello from the image as user 65532');
    await runOrThrow(await craneBinary(), [
      'validate',
      '--insecure',
      '--remote',
      `${registry.open}/team/app:edge`,
    ]);
  }, 600_000);

  test('pushes the same image again, and starts no build of the next job', async () => {
    const before = await digestOf('edge');
    registry.requests = [];
    const { number } = created(await api.trigger('image'));
    expect(await buildEnded(TEAM, 'app', 'image', number)).toMatchObject({ status: 'succeeded' });
    expect(await digestOf('edge')).toBe(before);
    expect(registry.requests.filter((line) => line.startsWith('POST'))).toEqual([]);
    expect(await api.builds('try')).toHaveLength(1);
  }, 600_000);

  test('leaves the password in no log', async () => {
    for (const job of ['image', 'try']) expect(await api.log(job, '1')).not.toContain(CREDENTIAL.password);
  });

  test('pushes an image that a team without the pull secret cannot run, and the build says why', async () => {
    const other = pipelineApi(OTHER, 'thief');
    const step = `task "run" {\n    run "docker" {\n      image = "${HOST}/team/app:edge"\n    }\n  }`;
    await createPipeline(OTHER, 'thief', `job "run" {\n  ${step}\n}\n`);
    created(await other.trigger('run'));
    await eventually(async () => {
      const { builds } = await data<{ builds: { reasons: { code: string; message: string }[] }[] }>(
        'GET',
        `${other.path}/waiting`,
      );
      const message = expect.stringMatching(/image-1-app does not start: .+ authorization failed/);
      expect(builds[0]?.reasons).toMatchObject([{ code: 'ImagePullFailed', message }]);
    });
  }, 600_000);
});

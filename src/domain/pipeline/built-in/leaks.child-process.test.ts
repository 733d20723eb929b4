import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { answerAsRegistry, INDEX, MANIFEST, MANIFEST_DIGEST } from '#testing/network/one-image-registry.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import * as artifact from './artifact.ts';
import { chatScripts } from './chat.ts';
import { commitStatusScript } from './commit-status.ts';
import { emailScript } from './email.ts';
import * as fs from './fs.ts';
import { check } from './git-check.ts';
import { pull } from './git-pull.ts';
import { push } from './git-push.ts';
import { hostcheckScript } from './hostcheck.ts';
import * as http from './http.ts';
import * as registryImage from './registry-image.ts';
import { push as pushImage } from './registry-push.ts';
import { webhookScript } from './webhook.ts';

/*
 * Steps with the same image share a container. An earlier step, which may run anybody's code, leaves traps
 * wherever it can write. Then a step of a built-in type runs with secrets. The step must do its work, and no
 * trap may run, get a request, or see a secret.
 */
let root = '';
let [home, work, origin] = ['', '', ''];
let server: Server;
let proxy: Server;
const mail = new SMTPServer({ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], logger: false });
let [url, proxyUrl] = ['', ''];
let throughProxy = 0;
let authorizations: string[] = [];
const TOKEN = 'the-token-of-a-later-step';
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});

beforeAll(async () => {
  server = createServer(({ url: path = '', method, headers }, response) => {
    authorizations.push(headers.authorization ?? '');
    if (path.startsWith('/v2/')) return answerAsRegistry(method, path, response);
    const commits = path.includes('/commits?') ? [{ sha: '1'.repeat(40) }] : undefined;
    response.writeHead(path.includes('/statuses/') ? 201 : 200);
    response.end(JSON.stringify(commits ?? { token: 'short-lived', id: 1, check_runs: [] }));
  });
  proxy = createServer((_request, response) => {
    throughProxy += 1;
    response.writeHead(502).end();
  });
  [url, proxyUrl] = await Promise.all([listen(server), listen(proxy)]);
  await new Promise<void>((resolve) => void mail.listen(0, '127.0.0.1', resolve));
});

async function listen(listener: Server): Promise<string> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

afterAll(async () => {
  await Promise.all([server, proxy].map((listener) => new Promise((resolve) => listener.close(resolve))));
  await new Promise<void>((resolve) => mail.close(resolve));
});

beforeEach(() => {
  // A file system other than that of /, like a volume of a Team.
  root = mkdtempSync('/dev/shm/millrace-leak-');
  [home, work, origin] = [join(root, 'home'), join(root, 'work'), join(root, 'origin.git')];
  for (const folder of [home, work]) mkdirSync(folder);
  inShell(`git init -q --bare -b main ${origin}; git init -q -b main ${work}/app; cd ${work}/app; echo 1 >file; git add file
    git commit -qm one; git push -q ${origin} main; git commit -qm two --allow-empty`);
  throughProxy = 0;
  authorizations = [];
});
afterEach(() => rmSync(root, { recursive: true }));

function inShell(script: string): string {
  const person = { NAME: 'Ann', EMAIL: 'ann@example.com' };
  const identity = Object.entries(person).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${key}`, value]),
  );
  const environment = { PATH: env['PATH'], HOME: '/nowhere', ...Object.fromEntries(identity) };
  return execFileSync('/bin/sh', ['-ec', script], {
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

const evidenceFile = (): string => join(root, 'ran');
const evidence = (): string => (existsSync(evidenceFile()) ? readFileSync(evidenceFile(), 'utf8') : '');
/** A command that writes the name of its trap to the evidence file. */
const recordTrap = (name: string): string => `echo ${name} >>${evidenceFile()}`;

function plant(file: string, text: string, mode = 0o755): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

const HOOKS = ['reference-transaction', 'pre-push', 'post-checkout', 'post-index-change', 'pre-auto-gc'];

function plantHooks(folder: string): void {
  for (const hook of HOOKS) plant(join(folder, hook), `#!/bin/sh\n${recordTrap(hook)}\n`);
}

/** A git configuration with the settings that run programs or send requests elsewhere. */
const configuration = (): string => `[core]
  hooksPath = ${home}/hooks
  fsmonitor = ${recordTrap('fsmonitor')}; false
  alternateRefsCommand = ${recordTrap('alternateRefsCommand')};
  sshCommand = ${recordTrap('sshCommand')};
  gitProxy = ${home}/hooks/pre-push
[credential]
  helper = !${recordTrap('credential.helper')};
[http]
  proxy = ${proxyUrl}
  sslVerify = false
[http "${url}"]
  proxy = ${proxyUrl}
[url "${proxyUrl}/"]
  insteadOf = ${url}/
[url "${root}/other.git"]
  insteadOf = ${origin}
[uploadpack]
  packObjectsHook = ${home}/hooks/pre-push
[remote "origin"]
  url = ${root}/promised.git
  promisor = true
  partialclonefilter = tree:0
  uploadpack = ${recordTrap('uploadpack')};
[push]
  gpgSign = if-asked
[tag]
  gpgSign = true
[gpg]
  program = ${home}/hooks/pre-push
[include]
  path = ${home}/included
`;

const TRAPS: Record<string, () => void> = {
  'git hooks in the folder': () => plantHooks(join(work, 'app/.git/hooks')),
  'git configuration in the folder': () => {
    plantHooks(join(home, 'hooks'));
    const file = join(work, 'app/.git/config');
    plant(file, `${readFileSync(file, 'utf8')}\n${configuration()}`);
  },
  'configuration in the working directory': () => {
    plantHooks(join(home, 'hooks'));
    inShell(`git init -q ${work}`);
    plant(join(work, '.git/config'), configuration());
  },
  'configuration in the home directory': () => {
    plantHooks(join(home, 'hooks'));
    for (const name of ['.gitconfig', '.config/git/config']) plant(join(home, name), configuration());
  },
  'a git alternate with hooks and configuration': () => {
    inShell(`git clone -q --bare ${origin} ${root}/alternate.git`);
    plantHooks(join(root, 'alternate.git/hooks'));
    plant(join(root, 'alternate.git/config'), `[core]\n  bare = true\n${configuration()}`);
    plant(join(work, 'app/.git/objects/info/alternates'), `${root}/alternate.git/objects\n`);
  },
  'configuration of curl': () => {
    const text = `libcurl = ${evidenceFile()}\ntrace-ascii = ${evidenceFile()}\nproxy = ${proxyUrl}\nnetrc\n`;
    for (const name of ['.curlrc', '.config/curlrc', '.config/.curlrc']) plant(join(home, name), text);
  },
  'host names and passwords of netrc': () =>
    plant(join(home, '.netrc'), 'default login thief password thief\n', 0o600),
  'a library of jq': () =>
    plant(join(home, '.jq'), 'def tostring: "stolen"; def index($x): error(env | tojson);\n'),
  'packages of Node.js': () => {
    plant(join(work, 'package.json'), '{"type": "commonjs", "imports": {"node:crypto": "./evil.js"}}');
    plant(
      join(home, '.node_modules/crypto/index.js'),
      `require('fs').writeFileSync('${evidenceFile()}', 'node');`,
    );
  },
  'a startup file of the shell': () => {
    for (const name of ['.profile', '.bashrc', '.shinit', '.bash_profile'])
      plant(join(home, name), recordTrap(name));
  },
};

interface Step {
  script: string;
  variables: () => Record<string, string>;
  /** Returns true if the step did its work. Otherwise returns how it ended, for the message of the test. */
  worked: (end: ScriptEnd) => unknown;
}

const imageParameters = (): Record<string, string> => ({
  param_repository: `${url.replace('http://', '')}/team/image`,
  param_username: 'robot',
  param_password: TOKEN,
});
const headOfOrigin = (): string => inShell(`git -c core.hooksPath= -C ${origin} rev-parse main`);
const printedRef = (end: ScriptEnd): unknown => end.stdout.includes('"ref"') || end;
const tokenParameter = { param_token: TOKEN };
const forgeParameters = (): Record<string, string> => ({
  ...tokenParameter,
  param_url: `${url}/o/r`,
  param_provider: 'forge_c',
});

const STEPS: Record<string, Step> = {
  'git check': {
    script: check,
    variables: () => ({ ...tokenParameter, param_url: origin }),
    worked: printedRef,
  },
  'git check that asks the forge': { script: check, variables: forgeParameters, worked: printedRef },
  'git check for tags': {
    script: check,
    variables: () => ({ ...tokenParameter, param_url: origin, param_tag: 'true' }),
    worked: (end) => end.stdout === '[]\n' || end,
  },
  'git get': {
    script: pull,
    variables: () => ({
      ...tokenParameter,
      param_url: origin,
      param_name: 'fresh',
      version_ref: headOfOrigin(),
    }),
    worked: (end) => existsSync(join(work, 'fresh/file')) || end,
  },
  'git put': {
    script: push,
    variables: () => ({ ...tokenParameter, param_url: origin, param_name: 'app', put_tag: 'v1' }),
    worked: (end) => (end.code === 0 && inShell(`git -C ${origin} tag`) === 'v1') || end,
  },
  'notification to chatone': {
    script: chatScripts.chatone,
    variables: () => ({ param_webhook_url: `${url}/hooks/${TOKEN}`, NOTIFY_MESSAGE: 'hello' }),
    worked: (end) => end.code === 0 || end,
  },
  'notification to chattwo': {
    script: chatScripts.chattwo,
    variables: () => ({ param_webhook_url: `${url}/hooks/${TOKEN}`, NOTIFY_MESSAGE: 'hello' }),
    worked: (end) => end.code === 0 || end,
  },
  'notification to hostcheck': {
    script: hostcheckScript,
    variables: () => ({
      HOSTCHECK_API: url,
      param_app_id: '1',
      param_installation_id: '2',
      param_private_key: privateKey,
      param_repository: 'o/r',
      notify_conclusion: 'success',
    }),
    worked: (end) => end.code === 0 || end,
  },
  'notification to commit-status': {
    script: commitStatusScript,
    variables: forgeParameters,
    worked: (end) =>
      end.stderr.includes(`is pending for ${inShell(`git -C ${work}/app rev-parse HEAD`)}`) || end,
  },
  'notification to webhook': {
    script: webhookScript,
    variables: () => ({ ...tokenParameter, param_url: `${url}/in`, param_secret: TOKEN }),
    worked: (end) => end.code === 0 || end,
  },
  'notification to email': {
    script: emailScript,
    variables: () => {
      const address = mail.server.address();
      const port = typeof address === 'object' && address ? String(address.port) : '';
      const people = { param_from: 'a@b.c', param_to: 'd@b.c' };
      return { param_host: '127.0.0.1', param_port: port, param_tls: 'none', ...people };
    },
    worked: (end) => end.stderr === 'email: sent to 1 recipients\n' || end,
  },
  'fs check': {
    script: fs.check,
    variables: () => ({ param_path: join(work, 'app/file') }),
    worked: (end) => end.stdout.includes('"hash"') || end,
  },
  'http check': {
    script: http.check,
    variables: () => ({ ...tokenParameter, param_url: `${url}/file`, param_json_path: '.token' }),
    worked: (end) => end.stdout === '[{"value":"short-lived"}]\n' || end,
  },
  'http get': {
    script: http.pull,
    variables: () => ({
      ...tokenParameter,
      param_url: `${url}/file`,
      param_json_path: '.id',
      version_value: '1',
    }),
    worked: () => existsSync(join(work, 'response')),
  },
  'registry-image check': {
    script: registryImage.check,
    variables: imageParameters,
    worked: (end) => end.stdout.includes('"tag":"latest"') || end,
  },
  'registry-image get': {
    script: registryImage.pull,
    variables: () => ({
      ...imageParameters(),
      param_format: 'oci',
      version_tag: 'latest',
      version_digest: MANIFEST_DIGEST,
    }),
    worked: (end) => existsSync(join(work, 'image/image/index.json')) || end,
  },
  'registry-image put': {
    script: pushImage,
    variables: () => {
      const file = join(work, 'layout/blobs/sha256', MANIFEST_DIGEST.slice('sha256:'.length));
      plant(file, MANIFEST, 0o644);
      plant(join(work, 'layout/index.json'), INDEX, 0o644);
      return { ...imageParameters(), put_image: 'layout' };
    },
    worked: (end) => end.stdout.includes(MANIFEST_DIGEST) || end,
  },
  'artifact put': {
    script: artifact.push,
    variables: () => ({ param_base_dir: join(root, 'kept'), put_dir: 'app' }),
    worked: (end) => end.stdout.includes('"hash"') || end,
  },
  'artifact put to a bucket': {
    script: artifact.push,
    variables: () => ({
      param_endpoint: url,
      param_bucket: 'kept',
      param_access_key_id: 'key',
      param_secret_access_key: TOKEN,
      put_dir: 'app',
    }),
    worked: (end) => end.stdout.includes('"hash"') || end,
  },
};

test.each(Object.entries(STEPS))('a %s is not affected by files of earlier steps', async (_name, step) => {
  const variables = step.variables();
  for (const plantTrap of Object.values(TRAPS)) plantTrap();
  const end = await runScript(step.script, work, {
    HOME: home,
    GIT_ALLOW_PROTOCOL: 'file:http',
    ...variables,
  });
  const thief = `Basic ${Buffer.from('thief:thief').toString('base64')}`;
  expect({ ran: evidence(), throughProxy, thief: authorizations.includes(thief) }).toEqual({
    ran: '',
    throughProxy: 0,
    thief: false,
  });
  expect(step.worked(end)).toBe(true);
});

test('a git put over HTTP goes to the host of the resource, whatever the folder configures', async () => {
  TRAPS['git configuration in the folder']?.();
  await runScript(push, work, { HOME: home, param_url: `${url}/o/r`, param_name: 'app', ...tokenParameter });
  expect(throughProxy).toBe(0);
  expect(authorizations).not.toEqual([]);
});

test('a git get runs no program from its cache', async () => {
  const cache = join(root, 'cache');
  mkdirSync(cache);
  const get = (name: string): Promise<ScriptEnd> =>
    runScript(pull, work, {
      GIT_ALLOW_PROTOCOL: 'file',
      CACHE_DIR: cache,
      param_url: origin,
      param_name: name,
      version_ref: headOfOrigin(),
      ...tokenParameter,
    });
  expect(await get('a')).toMatchObject({ code: 0 });
  plantHooks(join(cache, 'mirror.git/hooks'));
  inShell(`git -C ${work}/app push -q ${origin} main`);
  expect(await get('hooked')).toMatchObject({ code: 0 });
  expect(evidence()).toBe('');
  plantHooks(join(home, 'hooks'));
  plant(join(cache, 'mirror.git/config'), `[core]\n  bare = true\n${configuration()}`);
  expect(await get('b')).toMatchObject({ code: 0 });
  expect(evidence()).toBe('');
  expect(existsSync(join(work, 'b/file'))).toBe(true);
});

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AgentWork } from '#domain/build/agent-protocol.ts';
import type { JsonObject } from '#domain/language/json-value.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { Step } from '#domain/pipeline/steps.ts';
import { findOperation, markOperations } from '#domain/planning/operations.ts';
import { planBuild } from '#domain/planning/plan-build.ts';
import { planChecks } from '#domain/planning/plan-checks.ts';
import {
  bundle,
  certificate,
  gateway,
  pod,
  shim,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended } from '#testing/agent/local-pod.ts';
import { protocolShimOptions, protocolType } from '#testing/agent/protocol-types.ts';

useAgent();

/** A secret with characters that JSON escapes. */
const TOKEN = 's3cr"et\\tok';
const token = makeSecretPlaceholder('token');

const resource = (name: string, source: JsonObject) => {
  const [type = '', label = ''] = name.split('.');
  return { name, type, label, params: {}, source, tags: [], cache: false };
};

let sources: Record<string, JsonObject>;

/** Creates a bare git repository with one commit, whose subject contains the name. Returns its folder. */
function repository(name: string): string {
  const folder = join(pod.folder, name);
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=b', ...words], {
      stdio: 'ignore',
    });
  mkdirSync(folder);
  git('init', '--bare', '--initial-branch=main');
  git('fetch', '.', '+refs/heads/*:refs/heads/*');
  const tree = execFileSync('git', ['-C', folder, 'hash-object', '-t', 'tree', '-w', '--stdin'], {
    input: '',
  });
  const words = ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=b'];
  const commit = execFileSync('git', [
    ...words,
    'commit-tree',
    '-m',
    `begin ${name}`,
    tree.toString().trim(),
  ]);
  git('update-ref', 'refs/heads/main', commit.toString().trim());
  execFileSync('chown', ['-R', '65534:65534', folder]);
  return folder;
}

const headOf = (folder: string): string =>
  execFileSync('git', ['-C', folder, '-c', 'safe.directory=*', 'rev-parse', 'main']).toString().trim();

beforeEach(() => {
  sources = {
    'counter.one': { from: 1, to: 3, token },
    'counter.two': { from: 7, to: 8, labels: ['a', { b: true }] },
    'commits.left': { uri: repository('left') },
    'commits.right': { uri: repository('right') },
    'copy.image': {},
  };
});

function pipelineOf(steps: Step[] = []): Pipeline {
  return {
    resourceTypes: ['counter', 'commits', 'copy'].map((name) => protocolType(name)),
    resources: Object.entries(sources).map(([name, source]) => resource(name, source)),
    jobs: [{ name: 'unit', steps }],
  };
}

/**
 * Runs the work in containers of its types. Like the gateway, it replaces the placeholder of the secret. The
 * placeholder is in JSON inside the JSON of the work, so the secret is escaped twice.
 */
async function run(work: AgentWork & { work: 'build' | 'checks' }, programs?: string): Promise<void> {
  const fake = new FakeGateway(certificate, work);
  useGateway(fake);
  const filled = JSON.parse(
    JSON.stringify(work).replaceAll(token, JSON.stringify(JSON.stringify(TOKEN).slice(1, -1)).slice(1, -1)),
  );
  fake.secrets = (id) => {
    const operation = findOperation(filled.plan ?? filled.run, id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    return { answer: 'filled', operation, masks: [TOKEN] };
  };
  await fake.open();
  const { containers } = work.work === 'build' ? work.plan : work.run;
  for (const { name, image } of containers) {
    const type = image?.split('/').at(-1);
    pod.startShim(shim, name, type === undefined ? {} : protocolShimOptions(pod, type, programs));
  }
  expect(await ended(pod.startAgent(bundle, fake.url, certificate.cert))).toBe(0);
}

const build = { id: '41', team: 'web', pipeline: 'shop', job: 'unit', number: '7', attempt: 1 };

async function runBuild(steps: Step[], versions: Record<string, string>[], programs?: string): Promise<void> {
  const plan = planBuild({
    build,
    pipeline: pipelineOf(steps),
    versions,
    workdir: pod.workdir,
    externalUrl: 'https://ci.example.com',
  });
  await run({ work: 'build', plan: markOperations(plan, plan) }, programs);
}

async function runChecks(last: Record<string, Record<string, string>>, programs?: string): Promise<void> {
  const checks = Object.keys(sources).map((name) => ({
    scope: name,
    resource: name,
    ...(last[name] && { last: last[name] }),
  }));
  const toPlan = { run: '1', team: 'web', name: 'shop', pipeline: pipelineOf(), checks };
  const planned = planChecks({ ...toPlan, workdir: pod.workdir });
  await run({ work: 'checks', run: markOperations(planned, planned) }, programs);
}

const resultOf = (name: string) => gateway.results.find(({ scope }) => scope === name);

const get = (name: string, more: object = {}): Step => {
  const [, label = ''] = name.split('.');
  return { kind: 'get', name: label, resource: name, trigger: false, passed: [], ...more };
};
const put = (name: string, protocolParams: JsonObject): Step => {
  const [, label = ''] = name.split('.');
  return { kind: 'put', name: label, resource: name, params: {}, protocolParams };
};
const task = (cmd: string): Step => ({ kind: 'task', name: 'work', run: { runner: 'shell', cmd } });

describe('checks of foreign types', () => {
  test('find versions with and without a last version, and see no files of other resources of their type', async () => {
    await runChecks({ 'counter.two': { number: '8' } });
    expect(resultOf('counter.one')).toEqual({
      scope: 'counter.one',
      versions: [{ number: '1' }, { number: '2' }, { number: '3' }],
      log: expect.stringContaining('\r\u001B[2K\u001B[33mcounting 3/3'),
    });
    expect(resultOf('counter.two')).toMatchObject({ versions: [{ number: '8' }] });
    for (const name of ['left', 'right'])
      expect(resultOf(`commits.${name}`)).toMatchObject({
        versions: [{ ref: headOf(join(pod.folder, name)) }],
      });
    expect(resultOf('copy.image')).toMatchObject({ versions: [] });
  });

  test('fail with what the program prints, without secrets', async () => {
    sources = { 'counter.one': { from: 1, to: 3, token, unknown: 1 }, 'commits.left': { uri: '/nowhere' } };
    await runChecks({});
    expect(resultOf('counter.one')).toMatchObject({
      error: expect.stringMatching(/^The check failed: exit code 1\. .*unexpected input: .*"unknown":1/u),
    });
    expect(resultOf('commits.left')).toMatchObject({ error: expect.stringContaining('exit code 128') });
    expect(JSON.stringify(gateway.results)).not.toContain('s3cr');
  });

  test('fail with the first bytes of an output that is not JSON', async () => {
    const programs = join(pod.folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'check'), '#!/bin/sh\nprintf "fetching %s\\n" "$(jq -r .source.token)"\n');
    chmodSync(join(programs, 'check'), 0o755);
    sources = { 'counter.one': { token } };
    await runChecks({}, programs);
    expect(resultOf('counter.one')).toMatchObject({
      error:
        'The check did not print JSON; expected a JSON array of objects of strings. It begins with: "fetching ***\\n"',
    });
  });
});

describe('builds with foreign types', () => {
  test('get into a directory with the name of the get, and show metadata without secrets', async () => {
    const steps = [
      get('counter.one', { protocolParams: { depth: 1, all: [true, null] } }),
      task('cat one/environment'),
    ];
    await runBuild(steps, [{ number: '2' }]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    const folder = join(pod.workdir, 'one');
    expect(readFileSync(join(folder, 'number'), 'utf8')).toBe('2\n');
    expect(readFileSync(join(folder, 'params.json'), 'utf8')).toBe('{"depth":1,"all":[true,null]}\n');
    const environment = {
      ATC_EXTERNAL_URL: 'https://ci.example.com',
      BUILD_ID: '41',
      BUILD_JOB_NAME: 'unit',
      BUILD_NAME: '7',
      BUILD_PIPELINE_NAME: 'shop',
      BUILD_TEAM_NAME: 'web',
      BUILD_URL: 'https://ci.example.com/teams/web/pipelines/shop/jobs/unit/builds/7',
    };
    expect(gateway.endOf('0')).toMatchObject({
      status: 'succeeded',
      metadata: [
        { name: 'token', value: '***' },
        ...Object.entries(environment).map(([name, value]) => ({ name, value })),
      ],
    });
    expect(gateway.log('0')).toBe(
      '\u001B[1Afetching\r\u001B[2K\u001B[32mfetched, signed in with ***\u001B[0m\n',
    );
    expect(gateway.log('1')).toContain('BUILD_ID=41\n');
    expect(gateway.endOf('1')).not.toHaveProperty('metadata');
  });

  test('give a put all inputs, and take its version', async () => {
    const steps = [
      get('counter.two'),
      task('mkdir made && echo 12 > made/number && echo SUFFIX=x >> $SVC_OUTPUT'),
      put('counter.two', {
        file: 'made/number',
        note: 'build $BUILD_NUMBER of $GET_TWO_NUMBER-$TASK_WORK_SUFFIX',
      }),
      put('copy.image', { image: 'two/number', additional_tags: ['a', 1] }),
    ];
    await runBuild(steps, [{ number: '8' }]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(gateway.endOf('2')).toMatchObject({
      version: { number: '12' },
      metadata: [{ name: 'note', value: 'build 7 of 8-x' }],
    });
    expect(gateway.endOf('3')).toMatchObject({
      version: { digest: expect.stringMatching(/^sha256:/u), data: 'OAo=' },
      metadata: [{ name: 'digest' }, { name: 'tags', value: '["a",1]' }],
    });
    expect(gateway.log('2')).toBe('pushing 12\r');
  });

  test('run each program in fresh directories, whichever resource it serves', async () => {
    const [left, right] = ['left', 'right'].map((name) => headOf(join(pod.folder, name)));
    const steps = [
      get('commits.left'),
      get('commits.right'),
      task('mkdir made; echo a > made/a; echo b > made/b; find . -name .git -prune -o -print'),
      put('commits.left', { file: 'made/a', message: 'to the left' }),
      put('commits.right', { file: 'made/b', message: 'to the right' }),
      put('commits.left', { file: 'made/b', message: 'again' }),
    ];
    await runBuild(steps, [{ ref: left ?? '' }, { ref: right ?? '' }]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(gateway.endOf('0')?.metadata).toContainEqual({ name: 'message', value: 'begin left' });
    expect(gateway.endOf('1')?.metadata).toContainEqual({ name: 'message', value: 'begin right' });
    expect(gateway.endOf('4')).toMatchObject({ version: { ref: headOf(join(pod.folder, 'right')) } });
    expect(gateway.endOf('5')).toMatchObject({ version: { ref: headOf(join(pod.folder, 'left')) } });
    expect(gateway.log('5')).toContain("Cloning into '/tmp/commits-push'");
  });

  test('repeat a get into an empty directory', async () => {
    const programs = join(pod.folder, 'programs');
    mkdirSync(programs);
    const lines = [
      '#!/bin/sh',
      'ls -A "$1" >&2',
      'touch "$1/part"',
      'test ! -e "$1/../first" && touch "$1/../first" && exit 3',
      'echo "{}"',
    ];
    writeFileSync(join(programs, 'in'), `${lines.join('\n')}\n`);
    chmodSync(join(programs, 'in'), 0o755);
    await runBuild([get('copy.image', { attempts: 2 })], [{ digest: 'a' }], programs);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(gateway.log('0')).toBe('[exit code 3]\n--- attempt 2/2 ---\n');
    expect(readdirSync(join(pod.workdir, 'image'))).toEqual(['part']);
  });

  test('fail with a put whose version cannot be read', async () => {
    const programs = join(pod.folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'out'), '#!/bin/sh\ncat > /dev/null; echo done\n');
    chmodSync(join(programs, 'out'), 0o755);
    await runBuild([put('copy.image', { image: 'x' })], [], programs);
    const message =
      'out did not print one JSON object; expected a JSON object with version and metadata. It begins with: "done\\n"';
    expect(gateway.endOf('0')).toMatchObject({ status: 'failed', exitCode: 0, message });
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'StepFailed' });
    expect(existsSync('/opt/resource')).toBe(false);
  });
});

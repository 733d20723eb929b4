import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { CheckRun, HookPlan } from '#domain/planning/plan.ts';
import { buildTestShim, bundleAgent } from '#testing/agent/build-agent.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended, LocalPod } from '#testing/agent/local-pod.ts';
import { makeCertificate, type Certificate } from '#testing/network/certificate.ts';
import { freePort } from '#testing/network/free-port.ts';

let shim = '';
let bundle = '';
let certificate: Certificate = { key: '', cert: '' };
let pod: LocalPod;
let gateway: FakeGateway;

beforeAll(async () => {
  [shim, bundle, certificate] = await Promise.all([buildTestShim(), bundleAgent(), makeCertificate()]);
}, 600_000);
beforeEach(async () => {
  pod = new LocalPod();
  pod.open(await freePort());
});
afterEach(async () => {
  await pod.close();
  await gateway.close();
});

let hookCount = 0;
function hook(version: string, script: string, more: Partial<HookPlan> = {}): HookPlan {
  const command = { container: 'worker', argv: ['/bin/sh', '-e'], script };
  const env = { PATH: process.env['PATH'] ?? '' };
  hookCount += 1;
  return { id: `${version}.${hookCount}`, version, job: 'unit', hook: 'shell', command, env, ...more };
}

/** Runs these hooks in an agent. Returns its reports, in the order of the hooks. */
async function runAll(plans: HookPlan[], { seconds = 300, leftOut = 0 } = {}): Promise<HookResult[]> {
  const hooks = { workdir: pod.workdir, seconds, plans, leftOut };
  const run: CheckRun = { format: 2, run: '1', containers: [{ name: 'worker' }], checks: [], hooks };
  gateway = new FakeGateway(certificate, { work: 'checks', run });
  await gateway.open();
  const worker = pod.startShim(shim, 'worker');
  const code = await ended(pod.startAgent(bundle, gateway.url, certificate.cert));
  expect([code, pod.termination()]).toEqual([0, undefined]);
  expect(await ended(worker)).toBe(0);
  expect(gateway.checksDone).toBe(true);
  return gateway.hooks;
}

test('hooks report their outcome and their output, with secrets masked', async () => {
  const env = { PATH: '/bin:/usr/bin', version_ref: 'abc', BUILD_JOB_NAME: 'unit', SECRET: 's3cret' };
  const results = await runAll([
    hook('7', 'echo "$version_ref for $BUILD_JOB_NAME"; echo "$SECRET"', { needsSecrets: true, env }),
    hook('7', 'echo "because of $SECRET" >&2; exit 3', {
      job: 'deploy',
      hook: 'slack.ops',
      needsSecrets: true,
      env,
    }),
  ]);
  expect(results).toEqual([
    { version: '7', job: 'unit', hook: 'shell', output: 'abc for unit\n***\n' },
    { version: '7', job: 'deploy', hook: 'slack.ops', error: 'exit code 3.', output: 'because of ***\n' },
  ]);
});

test('a hook sees no variables of a build, and its message keeps references to them', async () => {
  const [result] = await runAll([
    hook('7', 'env | cut -d= -f1 | sort | tr "\\n" " "; echo "$NOTIFY_MESSAGE"', {
      env: { PATH: '/bin:/usr/bin', BUILD_JOB_NAME: 'unit', version_ref: '$BUILD_JOB_NAME' },
      message: String.raw`$BUILD_JOB_NAME waits\nfor $version_ref, not $BUILD_NUMBER`,
    }),
  ]);
  expect(result?.output).toContain('unit waits\nfor $BUILD_JOB_NAME, not $BUILD_NUMBER');
  expect(result?.output).not.toContain('WORKDIR');
});

test('notifications of a build that has no Pod are sent with its status, and one that fails is reported', async () => {
  const env = { PATH: '/bin:/usr/bin', BUILD_NUMBER: '7', BUILD_STATUS: 'cancelled' };
  const results = await runAll([
    hook('1', 'echo "$NOTIFY_MESSAGE"', { hook: 'chat.a', env, message: '#$BUILD_NUMBER $BUILD_STATUS' }),
    hook('1', 'exit 22', { hook: 'chat.b', env }),
  ]);
  expect(results).toEqual([
    { version: '1', job: 'unit', hook: 'chat.a', output: '#7 cancelled\n' },
    { version: '1', job: 'unit', hook: 'chat.b', error: 'exit code 22.', output: '' },
  ]);
});

/** A script that ends only if a second one, with the two files in reverse order, runs at the same time. */
const meet = (ownFile: string, otherFile: string): string =>
  `touch ${ownFile}; until [ -e ${otherFile} ]; do sleep 0.02; done; echo met`;

test('hooks of one version run in parallel, and those of the next version after them', async () => {
  const results = await runAll([
    hook('7', meet('a', 'b')),
    hook('7', meet('b', 'a')),
    hook('8', 'ls a b | wc -l'),
  ]);
  expect(results.map(({ output }) => output.trim())).toEqual(['met', 'met', '2']);
});

test('a hook that hangs uses only its version’s share of the time, and is killed if it ignores SIGTERM', async () => {
  const results = await runAll(
    [
      hook('7', 'trap "" TERM; echo on; while :; do sleep 0.1; done'),
      hook('7', 'echo beside'),
      hook('8', 'echo next'),
    ],
    { seconds: 24 },
  );
  expect(results).toEqual([
    { version: '7', job: 'unit', hook: 'shell', error: 'it took too long.', output: 'on\n' },
    { version: '7', job: 'unit', hook: 'shell', output: 'beside\n' },
    { version: '8', job: 'unit', hook: 'shell', output: 'next\n' },
  ]);
});

test('hooks that do not fit into one Pod are reported', async () => {
  const results = await runAll([hook('7', 'true')], { leftOut: 12 });
  expect(results).toMatchObject([
    { hook: 'shell' },
    {
      hook: 'further hooks',
      error: '12 hooks were not run: one Pod runs at most 1, for all new versions together.',
    },
  ]);
});

test('the end of a long output is stored, up to 64 KiB for all hooks together', async () => {
  const long = 'head -c 100000 /dev/zero | tr "\\0" x; echo end';
  const results = await runAll([hook('7', long), hook('7', long)]);
  expect(results.map(({ output }) => output.length)).toEqual([32 * 1024, 32 * 1024]);
  expect(results.every(({ output }) => output.endsWith('xend\n'))).toBe(true);
});

test('a hook whose secret has no value does not run, and the others do', async () => {
  const refusal = 'The secret token has no value.';
  const results = await runAll([hook('1', 'echo never', { refusal }), hook('1', 'echo done')]);
  expect(results.map(({ error, output }) => [error, output])).toEqual([
    [refusal, ''],
    [undefined, 'done\n'],
  ]);
});

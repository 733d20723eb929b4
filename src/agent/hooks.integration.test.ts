import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { CheckRun, HookPlan } from '#domain/planning/plan.ts';
import { buildShim, bundleAgent } from '#testing/agent/build.ts';
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
  [shim, bundle, certificate] = await Promise.all([buildShim(), bundleAgent(), makeCertificate()]);
}, 600_000);
beforeEach(async () => {
  pod = new LocalPod();
  pod.open(await freePort());
});
afterEach(async () => {
  await pod.close();
  await gateway.close();
});

function hook(version: string, script: string, more: Partial<HookPlan> = {}): HookPlan {
  const command = { container: 'worker', argv: ['/bin/sh', '-e'], script };
  return { version, job: 'unit', hook: 'shell', command, env: { PATH: process.env['PATH'] ?? '' }, ...more };
}

/** What the agent tells of these hooks, in the order in which it does. */
async function runAll(
  plans: HookPlan[],
  { seconds = 300, secrets = [''], leftOut = 0 } = {},
): Promise<HookResult[]> {
  const hooks = { workdir: pod.workdir, seconds, plans, leftOut };
  const run: CheckRun = { format: 1, run: '1', containers: [{ name: 'worker' }], checks: [], hooks, secrets };
  gateway = new FakeGateway(certificate, { work: 'checks', run });
  await gateway.open();
  const worker = pod.startShim(shim, 'worker');
  const code = await ended(pod.startAgent(bundle, gateway.url, certificate.cert));
  expect([code, pod.termination()]).toEqual([0, undefined]);
  expect(await ended(worker)).toBe(0);
  expect(gateway.checksDone).toBe(true);
  return gateway.hooks;
}

test('hooks tell how they ended and what they printed, with secrets masked', async () => {
  const results = await runAll(
    [
      hook('7', 'echo "$version_ref for $BUILD_JOB_NAME"; echo s3cret', {
        env: { PATH: '/bin:/usr/bin', version_ref: 'abc', BUILD_JOB_NAME: 'unit' },
      }),
      hook('7', 'echo because of s3cret >&2; exit 3', { job: 'deploy', hook: 'slack.ops' }),
    ],
    { secrets: ['s3cret'] },
  );
  expect(results).toEqual([
    { version: '7', job: 'unit', hook: 'shell', output: 'abc for unit\n***\n' },
    { version: '7', job: 'deploy', hook: 'slack.ops', error: 'exit code 3.', output: 'because of ***\n' },
  ]);
});

test('a hook knows of no build, and its message is filled in with what is known', async () => {
  const [result] = await runAll([
    hook('7', 'env | cut -d= -f1 | sort | tr "\\n" " "; echo "$NOTIFY_MESSAGE"', {
      env: { PATH: '/bin:/usr/bin', BUILD_JOB_NAME: 'unit', version_ref: '$BUILD_JOB_NAME' },
      message: String.raw`$BUILD_JOB_NAME waits\nfor $version_ref, not $BUILD_NUMBER`,
    }),
  ]);
  expect(result?.output).toContain('unit waits\nfor $BUILD_JOB_NAME, not $BUILD_NUMBER');
  expect(result?.output).not.toContain('WORKDIR');
});

const meet = (mine: string, other: string): string =>
  `touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done; echo met`;

test('hooks of one version run side by side, those of the next after them', async () => {
  const results = await runAll([
    hook('7', meet('a', 'b')),
    hook('7', meet('b', 'a')),
    hook('8', 'ls a b | wc -l'),
  ]);
  expect(results.map(({ output }) => output.trim())).toEqual(['met', 'met', '2']);
});

test('a hook that hangs takes its own version’s share of the time, and is killed if it does not hear', async () => {
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

test('what one Pod cannot do is told', async () => {
  const results = await runAll([hook('7', 'true')], { leftOut: 12 });
  expect(results).toMatchObject([
    { hook: 'shell' },
    {
      hook: 'further hooks',
      error: '12 more were not run: at most 1 are, of all versions that come together.',
    },
  ]);
});

test('of long output the end is kept, of all hooks together 64 KiB', async () => {
  const long = 'head -c 100000 /dev/zero | tr "\\0" x; echo end';
  const results = await runAll([hook('7', long), hook('7', long)]);
  expect(results.map(({ output }) => output.length)).toEqual([32 * 1024, 32 * 1024]);
  expect(results.every(({ output }) => output.endsWith('xend\n'))).toBe(true);
});

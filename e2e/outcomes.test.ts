import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runOrThrow, runProgram } from '#e2e/support/command.ts';
import { isEmbedded, killContainer } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  releaseSteps,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { created, data, pipelineApi, type Build } from '#e2e/support/gateway.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';
import {
  endSlowBuild,
  expectLogOfTwoAttempts,
  podOf,
  startSlowBuild,
  waitForSecondAttempt,
} from '#e2e/support/slow-build.ts';
import { RELEASE } from '#tools/chart/install.ts';

/*
 * Whatever happens to its Pod, a build has the right status, the reason in words, and the whole log.
 * `crash.test.ts` kills the parts of Millrace, and `termination-message.test.ts` stops the gateway for good.
 */

const TEAM = teamName('e2e-outcome');
const SMALL = teamName('e2e-small');

/** The team `SMALL` may run one Pod at a time, which has little memory and little disk. */
const SMALL_LIMITS = {
  limits: { requests: { memory: '240Mi' } },
  defaults: {
    resources: {
      requests: { memory: '160Mi', 'ephemeral-storage': '16Mi' },
      limits: { memory: '160Mi', 'ephemeral-storage': '32Mi' },
    },
  },
};

const task = (name: string, cmd: string): string => `
  task "${name}" {
    run "shell" {
      cmd = ${JSON.stringify(cmd)}
    }
  }`;

/** A command that counts the container's processes whose command line begins with these words. */
const countProcesses = (words: string): string =>
  `for one in /proc/[0-9]*; do tr '\\0' ' ' <$one/cmdline; echo; done 2>/dev/null | grep -c '^${words}' || true`;

const STUBBORN = `
job "work" {
  ${task('run', `trap '' TERM; setsid sleep 1234 & echo begun; while :; do sleep 1; done`)}
  ${task('next', 'echo never')}
  on_cancel "shell" {
    cmd = ${JSON.stringify(`echo "left: $(${countProcesses('sleep 1234')})"; sleep 70; echo undone`)}
  }
  ensure "shell" {
    cmd = "echo ensured: $BUILD_STATUS"
  }
}`;

const stubborn = pipelineApi(TEAM, 'stubborn');

beforeAll(async () => {
  await Promise.all([createTeam(TEAM), createTeam(SMALL, SMALL_LIMITS)]);
  // The hooks of this build take more than a minute. Meanwhile the other tests run.
  await createPipeline(TEAM, 'stubborn', STUBBORN);
  const { number } = created(await stubborn.trigger('work'));
  await eventually(async () => expect(await stubborn.log('work', number)).toContain('begun'));
  expect((await stubborn.post(`jobs/work/builds/${number}/cancel`)).status).toBe(202);
}, 600_000);
afterAll(async () => {
  await Promise.all([deleteTeam(TEAM), deleteTeam(SMALL)]);
}, 600_000);

const onlyEmbedded = isEmbedded ? describe : describe.skip;

/** The message of a build that has not ended: why it waits. */
const whyPending = async (team: string, pipeline: string, number: string): Promise<string> => {
  const { status, message = '' } = await pipelineApi(team, pipeline).build('work', number);
  expect(status).toBe('pending');
  return message;
};

describe('a build in a team with a small quota', () => {
  test('waits with the reason while the quota is used up, then runs', async () => {
    await createPipeline(SMALL, 'queue', oneJob(`until ${UNTIL_RELEASED}; do sleep 0.5; done`));
    const api = pipelineApi(SMALL, 'queue');
    const first = created(await api.trigger('work')).number;
    // While neither build has a Pod, either may get the quota.
    await eventually(async () => expect((await api.build('work', first)).status).toBe('started'));
    const second = created(await api.trigger('work')).number;
    await eventually(async () =>
      expect(await whyPending(SMALL, 'queue', second)).toMatch(/^QuotaExceeded: .*memory/),
    );
    await eventually(async () => {
      await releaseSteps(SMALL, 'queue');
      const builds = await Promise.all([first, second].map((number) => api.build('work', number)));
      expect(builds).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    });
  }, 600_000);

  test('fails if the kernel killed a process of a step that exited with 0, and then runs only ensure', async () => {
    const config = `
job "work" {
  ${task('greedy', 'echo before; head -c 400m /dev/zero | tail | wc -c; echo after; exit 0')}
  ${task('second', 'echo never')}
  ${task('third', 'echo never')}
  ensure "shell" {
    cmd = "echo ensured: $BUILD_REASON"
  }
}`;
    await createPipeline(SMALL, 'greedy', config);
    const api = pipelineApi(SMALL, 'greedy');
    const { number } = created(await api.trigger('work'));
    expect(await buildEnded(SMALL, 'greedy', 'work', number)).toMatchObject({
      status: 'failed',
      reason: 'OutOfMemory',
      message: 'Step greedy: out of memory: one of its processes was killed.',
      attempt: 1,
      steps: [
        { name: 'greedy', status: 'failed', exit_code: 0 },
        { name: 'second', status: 'skipped' },
        { name: 'third', status: 'skipped' },
        { status: 'succeeded' },
      ],
    });
    const log = await api.log('work', number);
    for (const line of ['before', 'after', 'ensured: OutOfMemory']) expect(log).toContain(line);
    expect(log).not.toContain('never');
  }, 600_000);

  test('is evicted if it fills the disk, and its message says so', async () => {
    const fill = task('fill', 'echo filling; head -c 100m /dev/zero >/tmp/full; echo filled; sleep 600');
    await createPipeline(SMALL, 'disk', `job "work" {\n  disable_retry = true\n${fill}\n}\n`);
    const api = pipelineApi(SMALL, 'disk');
    const { number } = created(await api.trigger('work'));
    expect(await buildEnded(SMALL, 'disk', 'work', number)).toMatchObject({
      status: 'failed',
      reason: 'PodEvicted',
      message: expect.stringMatching(/^The Pod was evicted: .*ephemeral.*disable_retry/),
      attempt: 1,
    });
    expect(await api.log('work', number)).toMatch(/^filling\nfilled$/m);
  }, 600_000);
});

const serialJob = (name: string, cmd: string): string =>
  `job "${name}" {\n  serial_groups = ["one"]\n${task('run', cmd)}\n}\n`;

/** A build once the start of its Pod is recorded, which is soon after the build has ended. */
const recordedStart = (pipeline: string, number: string): Promise<Build> =>
  eventually(async () => {
    const build = await pipelineApi(TEAM, pipeline).build('work', number);
    expect(build.pod_scheduled_at).toBeDefined();
    return build;
  });

describe('a build whose Pod does not start', () => {
  test('waits with the name of the image that cannot be pulled; a cancel ends it at once', async () => {
    const image = 'registry.invalid/no/such:image';
    const third = `task "third" {\n run "docker" {\n image = "${image}"\n cmd = "true"\n }\n }`;
    const config = `job "work" {\n${task('first', 'true')}\n${task('second', 'true')}\n${third}\n}\n`;
    await createPipeline(TEAM, 'image', config);
    const api = pipelineApi(TEAM, 'image');
    const { number } = created(await api.trigger('work'));
    await eventually(async () => {
      const message = await whyPending(TEAM, 'image', number);
      expect(message).toMatch(/^ImagePullFailed: /);
      expect(message).toContain(image);
    });
    expect((await api.post(`jobs/work/builds/${number}/cancel`)).status).toBe(202);
    const { status, steps = [] } = await buildEnded(TEAM, 'image', 'work', number);
    expect([status, ...steps.map((step) => step.status)]).toEqual(['cancelled', ...Array(3).fill('skipped')]);
    expect(await recordedStart('image', number)).not.toHaveProperty('containers_started_at');
  }, 600_000);

  test('waits with the reason while the API server refuses the Pod, then runs', async () => {
    await createPipeline(TEAM, 'refused', oneJob('true'));
    const limits = [{ type: 'Container', min: { memory: '64Gi' } }];
    const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'huge', namespace: TEAM } };
    await apply({ ...range, spec: { limits } });
    // The API server applies a new LimitRange only once it has seen it.
    const resources = { requests: { memory: '1Mi' } };
    const probe = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe', namespace: TEAM },
      spec: { containers: [{ name: 'probe', image: 'none', resources }] },
    };
    await eventually(async () => {
      const options = { input: JSON.stringify(probe) };
      const { stderr } = await runProgram('kubectl', ['create', '-f', '-', '--dry-run=server'], options);
      expect(stderr).toContain('minimum memory usage');
    });
    const { number } = created(await pipelineApi(TEAM, 'refused').trigger('work'));
    await eventually(async () =>
      expect(await whyPending(TEAM, 'refused', number)).toMatch(/^Forbidden: .*minimum memory usage/),
    );
    await kubectl('delete', 'limitrange', 'huge', '--namespace', TEAM);
    expect((await buildEnded(TEAM, 'refused', 'work', number)).status).toBe('succeeded');
    const build = await recordedStart('refused', number);
    const { pod_created_at: pod, pod_scheduled_at: node, containers_started_at: images, started_at } = build;
    const times = [pod, node, images, started_at].map((time) => Date.parse(time ?? 'never'));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times).not.toContain(NaN);
  }, 600_000);

  test('can be cancelled while it waits for its serial group, whatever runs there', async () => {
    const config = serialJob('holder', 'echo holds; sleep 600') + serialJob('work', 'true');
    await createPipeline(TEAM, 'serial', config);
    const api = pipelineApi(TEAM, 'serial');
    const holder = created(await api.trigger('holder')).number;
    await eventually(async () => expect(await api.log('holder', holder)).toContain('holds'));
    const { number } = created(await api.trigger('work'));
    expect((await api.post(`jobs/work/builds/${number}/cancel`)).status).toBeLessThan(300);
    expect((await buildEnded(TEAM, 'serial', 'work', number)).status).toBe('cancelled');
    expect((await api.build('holder', holder)).status).toBe('started');
    await api.post(`jobs/holder/builds/${holder}/cancel`);
  }, 600_000);
});

describe('a running build', () => {
  test('whose Pod is evicted has a second attempt, and its log has both attempts and the reason', async () => {
    const number = await startSlowBuild(TEAM, 'evicted');
    const pod = await podOf(TEAM, 'evicted');
    const metadata = { name: pod, namespace: TEAM };
    const path = `/api/v1/namespaces/${TEAM}/pods/${pod}/eviction`;
    const eviction = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata });
    await runOrThrow('kubectl', ['create', '--raw', path, '-f', '-'], { input: eviction });
    await waitForSecondAttempt(TEAM, 'evicted', number);
    expect(await endSlowBuild(TEAM, 'evicted', number)).toMatchObject({ attempt: 2 });
    const why = expectLogOfTwoAttempts(await pipelineApi(TEAM, 'evicted').log('work', number));
    expect(why).toMatch(/^PodEvicted: The Pod was evicted: EvictionByEvictionAPI/);
  }, 600_000);

  test('that fills the memory of its /dev/shm fails with the error message of its command in the log', async () => {
    await createPipeline(
      TEAM,
      'full',
      oneJob('echo begun\nhead -c 200m /dev/zero >/dev/shm/full\necho never'),
    );
    const api = pipelineApi(TEAM, 'full');
    const { number } = created(await api.trigger('work'));
    expect(await buildEnded(TEAM, 'full', 'work', number)).toMatchObject({
      status: 'failed',
      reason: 'StepFailed',
      message: 'Step run: exit code 1.',
    });
    expect(await api.log('work', number)).toMatch(/^begun\n.*No space left on device$/m);
  }, 600_000);

  test('with 50 MB of log has all of it, in order', async () => {
    const count = 1_000_000;
    await createPipeline(TEAM, 'long', oneJob(`seq -f 'n%048.0f' 1 ${count}`));
    const api = pipelineApi(TEAM, 'long');
    const { number } = created(await api.trigger('work'));
    expect((await buildEnded(TEAM, 'long', 'work', number)).status).toBe('succeeded');
    const lines = (await api.log('work', number)).split('\n').filter((line) => /^n\d{48}$/.test(line));
    expect(lines).toHaveLength(count);
    expect(lines.every((line, index) => Number(line.slice(1)) === index + 1)).toBe(true);
  }, 600_000);

  test('takes the same version when it is retried, whatever newer versions there are', async () => {
    const config = `
resource_type "count" {
  check "shell" {
    cmd = "jq --null-input --arg n $(( $\${version_n:-0} + 1 )) '[{n: $n}]'"
  }
}
resource "count" "up" {}
job "work" {
  get "count" "up" {}
  ${task('run', 'echo takes $GET_UP_N')}
}`;
    await createPipeline(TEAM, 'again', config);
    const api = pipelineApi(TEAM, 'again');
    const logOf = async (number: string): Promise<string> => {
      expect((await buildEnded(TEAM, 'again', 'work', number)).status).toBe('succeeded');
      return await api.log('work', number);
    };
    for (const count of [1, 2]) {
      await api.check('count.up');
      await eventually(async () => expect(await api.versions('count.up')).toHaveLength(count));
      expect(await logOf(created(await api.trigger('work')).number)).toContain(`takes ${count}\n`);
    }
    const { number } = created(await api.post('jobs/work/builds/1/retry'));
    expect(number).toBe('1.1');
    expect(await logOf(number)).toContain('takes 1\n');
  }, 600_000);
});

onlyEmbedded('a build in which process 1 of the step container is killed', () => {
  test('has a second attempt, and its log has both attempts and the reason', async () => {
    const number = await startSlowBuild(TEAM, 'shim');
    await killContainer(TEAM, await podOf(TEAM, 'shim'), 'worker');
    await waitForSecondAttempt(TEAM, 'shim', number);
    expect(await endSlowBuild(TEAM, 'shim', number)).toMatchObject({ attempt: 2 });
    const log = await pipelineApi(TEAM, 'shim').log('work', number);
    expect(expectLogOfTwoAttempts(log)).toBe('AgentFault: Step run: the container worker ended.');
    expect(log).toContain('[the container worker ended]');
  }, 600_000);
});

describe('a build without a gateway from its first line to its end', () => {
  const gateway = ['deployment/millrace-gateway-internal', '--namespace', RELEASE.namespace];
  afterAll(async () => {
    await kubectl('scale', ...gateway, '--replicas=2');
    await kubectl('rollout', 'status', ...gateway, '--timeout=9m');
  }, 600_000);

  test('reports its whole log and its success when the gateway is back', async () => {
    const address = `https://millrace-internal.${RELEASE.namespace}.svc:8443/`;
    const untilAway = `while curl --silent --insecure --max-time 60 --output /dev/null ${address}; do sleep 0.5; done`;
    await createPipeline(TEAM, 'away', oneJob(`echo begun\n${untilAway}\nseq -f 'line %.0f' 1 20000`));
    const api = pipelineApi(TEAM, 'away');
    const { number } = created(await api.trigger('work'));
    await eventually(async () => expect(await api.log('work', number)).toContain('begun'));
    await kubectl('scale', ...gateway, '--replicas=0');
    const agent = [await podOf(TEAM, 'away'), '--namespace', TEAM, '--container', 'agent'];
    await eventually(async () =>
      expect(await kubectl('exec', ...agent, '--', 'cat', '/dev/termination-log')).toContain('"succeeded"'),
    );
    expect((await api.build('work', number)).status).toBe('started');
    await kubectl('scale', ...gateway, '--replicas=2');
    expect(await buildEnded(TEAM, 'away', 'work', number)).toMatchObject({ status: 'succeeded', attempt: 1 });
    const lines = (await api.log('work', number)).split('\n').filter((line) => line.startsWith('line '));
    expect(lines).toEqual(Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`));
  }, 600_000);
});

describe('a cancelled build whose step ignores SIGTERM', () => {
  test('is killed with all its processes, and its hooks run to their end even if they take a minute', async () => {
    const build = await buildEnded(TEAM, 'stubborn', 'work', '1');
    expect(build).toMatchObject({ status: 'cancelled', reason: 'Cancelled', message: 'Cancelled by e2e.' });
    const { steps } = await data<{ steps: { name: string; status: string; signal?: string }[] }>(
      'GET',
      `${stubborn.path}/jobs/work/builds/1`,
    );
    expect(steps.map((step) => step.status)).toEqual(['cancelled', 'skipped', 'succeeded', 'succeeded']);
    const log = await stubborn.log('work', '1');
    for (const line of ['begun', 'left: 0', 'undone', 'ensured: cancelled']) expect(log).toContain(line);
    expect(log).not.toContain('never');
  }, 600_000);
});

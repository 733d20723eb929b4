import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clusterPart, isEmbedded, killContainer } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  letGo,
  oneJob,
  teamName,
  UNTIL_LET_GO,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi, RELEASE, type Build } from '#e2e/support/gateway.ts';
import { kubectl, list } from '#e2e/support/kubectl.ts';

const TEAM = teamName('e2e-crash');
/** A numbered line every half second until it is let go: whatever is killed is killed in the middle. */
const SLOW = `n=0; until ${UNTIL_LET_GO}; do n=$((n + 1)); echo "line $n"; sleep 0.5; done`;

const linesOf = (log: string): string[] => log.split('\n').filter((line) => line.startsWith('line '));

const expectWhole = (lines: string[], atLeast: number): void => {
  expect(lines.length).toBeGreaterThanOrEqual(atLeast);
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
};

/** The log up to the fault, a line that says so, and the whole log of the second attempt. */
const expectLogOfTwoAttempts = (log: string): void => {
  const [first = '', second = ''] = log.split(/^--- attempt 2: .+ ---$/m);
  expectWhole(linesOf(first), 2);
  expectWhole(linesOf(second), 1);
};

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

const startSlowBuild = async (pipeline: string): Promise<string> => {
  await createPipeline(TEAM, pipeline, oneJob(SLOW));
  const api = pipelineApi(TEAM, pipeline);
  const { number } = created(await api.trigger('work'));
  await eventually(async () => expect(await api.log('work', number)).toContain('line 2'));
  return number;
};

/** Once it has said so many lines more, the build may end; how it did. */
const endSlowBuild = async (pipeline: string, number: string, more = 0): Promise<Build> => {
  const api = pipelineApi(TEAM, pipeline);
  const said = async (): Promise<number> => {
    const { length } = linesOf(await api.log('work', number));
    expect(length).toBeGreaterThan(0);
    return length;
  };
  const before = await eventually(said);
  await eventually(async () => expect(await said()).toBeGreaterThanOrEqual(before + more));
  return await eventually(async () => {
    await letGo(TEAM, pipeline);
    const build = await api.build('work', number);
    expect(build.status).toBe('succeeded');
    return build;
  });
};

const podOf = async (pipeline: string): Promise<string> => {
  const [pod] = await list(
    'pods',
    '--namespace',
    TEAM,
    '-l',
    `millrace.dev/kind=build,millrace.dev/pipeline=${pipeline}`,
  );
  if (pod === undefined) throw new Error(`no build Pod of ${pipeline}`);
  return pod.metadata.name;
};

/** Until the step of the second attempt has begun: the first is over then. */
const secondAttempt = async (pipeline: string, number: string): Promise<void> => {
  const second = /^--- attempt 2: .+ ---$[^]*^line 1$/m;
  await eventually(async () => expect(await pipelineApi(TEAM, pipeline).log('work', number)).toMatch(second));
};

/** Kills process 1 of every replica of a part of Millrace at once. */
const killReplicas = async (component: string): Promise<void> => {
  const selector = `app.kubernetes.io/component=${component}`;
  const pods = await list('pods', '--namespace', RELEASE.namespace, '-l', selector);
  expect(pods.length).toBeGreaterThan(0);
  await Promise.all(pods.map(({ metadata }) => killContainer(RELEASE.namespace, metadata.name, component)));
};

const onlyEmbedded = isEmbedded ? describe : describe.skip;

onlyEmbedded('kill -9 in the middle of a build', () => {
  test.each(['operator', 'gateway-public', 'gateway-internal'])(
    'of every %s replica loses no line, and the build succeeds once',
    async (part) => {
      const pipeline = `kill-${part}`;
      const number = await startSlowBuild(pipeline);
      await killReplicas(part);
      expect(await endSlowBuild(pipeline, number, 4)).toMatchObject({ attempt: 1 });
      const api = pipelineApi(TEAM, pipeline);
      expectWhole(linesOf(await api.log('work', number)), 6);
      expect((await api.builds('work')).map((one) => one.number)).toEqual([number]);
    },
    600_000,
  );

  test('of the agent is never green by itself: the build is tried once more, and the log up to the fault stays', async () => {
    const number = await startSlowBuild('kill-agent');
    await killContainer(TEAM, await podOf('kill-agent'), 'agent');
    await secondAttempt('kill-agent', number);
    expect(await endSlowBuild('kill-agent', number)).toMatchObject({ attempt: 2 });
    const log = await pipelineApi(TEAM, 'kill-agent').log('work', number);
    expectLogOfTwoAttempts(log);
  }, 600_000);

  test('of the API server is not noticed by a running build', async () => {
    const number = await startSlowBuild('kill-api-server');
    await clusterPart('kill', 'kube-apiserver');
    await clusterPart('start', 'kube-apiserver');
    expect(await endSlowBuild('kill-api-server', number, 4)).toMatchObject({ attempt: 1 });
    const next = created(await pipelineApi(TEAM, 'kill-api-server').trigger('work'));
    await endSlowBuild('kill-api-server', next.number);
  }, 600_000);
});

describe('a running build whose Pod is deleted', () => {
  test('is tried once more, and its log up to the fault stays', async () => {
    const number = await startSlowBuild('delete-pod');
    await kubectl(
      'delete',
      'pod',
      await podOf('delete-pod'),
      '--namespace',
      TEAM,
      '--grace-period=0',
      '--force',
    );
    await secondAttempt('delete-pod', number);
    expect(await endSlowBuild('delete-pod', number)).toMatchObject({ attempt: 2 });
    const log = await pipelineApi(TEAM, 'delete-pod').log('work', number);
    expectLogOfTwoAttempts(log);
  }, 600_000);
});

describe('a build that kills itself', () => {
  test.each([
    ['exits with 3', 'exit 3', 'failed'],
    ['kills its whole container', 'kill -9 -1', 'failed'],
    ['leaves a process behind', '(sleep 600 & ) ; echo done', 'succeeded'],
  ])(
    'and %s tells the truth',
    async (sentence, cmd, status) => {
      const pipeline = sentence.replaceAll(' ', '-');
      await createPipeline(TEAM, pipeline, oneJob(cmd));
      const { number } = created(await pipelineApi(TEAM, pipeline).trigger('work'));
      expect((await buildEnded(TEAM, pipeline, 'work', number)).status).toBe(status);
    },
    600_000,
  );
});

describe('a step that needs more memory than there is', () => {
  const small = teamName('e2e-memory');
  beforeAll(
    () =>
      createTeam(small, {
        defaults: { resources: { requests: { memory: '160Mi' }, limits: { memory: '160Mi' } } },
      }),
    600_000,
  );
  afterAll(() => deleteTeam(small), 600_000);

  test('fails, and the build says that memory ran out', async () => {
    await createPipeline(
      small,
      'greedy',
      oneJob('echo before; head -c 400m /dev/zero | tail | wc -c; echo after'),
    );
    const { number } = created(await pipelineApi(small, 'greedy').trigger('work'));
    const build = await buildEnded(small, 'greedy', 'work', number);
    expect(build).toMatchObject({ status: 'failed', reason: 'OutOfMemory' });
    expect(await pipelineApi(small, 'greedy').log('work', number)).toContain('before');
  }, 600_000);
});

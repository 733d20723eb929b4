import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPipeline, createTeam, deleteTeam, oneJob, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import { maxStart, medianStart } from '#e2e/support/start-times.ts';
import { RELEASE } from '#tools/chart/install.ts';

/*
 * A team that sets no limits triggers 120 builds at once. A build of another team must start as fast as on an
 * idle installation, the operator must stay the leader, and the greedy team must not exceed the
 * installation's limit of Pods.
 */

const GREEDY = teamName('e2e-greedy');
const GOOD = teamName('e2e-good');
const BURST = 120;
/** The chart's `defaults.limits.runningBuilds`. */
const LIMIT = 20;

beforeAll(async () => {
  await Promise.all([createTeam(GREEDY), createTeam(GOOD)]);
  await createPipeline(GREEDY, 'burst', oneJob('sleep 20'));
  await createPipeline(GOOD, 'single', oneJob('true'));
}, 600_000);
afterAll(async () => {
  await Promise.all([deleteTeam(GREEDY), deleteTeam(GOOD)]);
}, 600_000);

const greedy = pipelineApi(GREEDY, 'burst');
const good = pipelineApi(GOOD, 'single');

const leaseState = (): Promise<string> =>
  kubectl(
    'get',
    'lease',
    `${RELEASE.name}-operator`,
    '--namespace',
    RELEASE.namespace,
    '-o',
    'jsonpath={.spec.holderIdentity} {.spec.leaseTransitions}',
  );

const podsOfGreedy = async (): Promise<number> => {
  const pods = await list('pods', '--namespace', GREEDY, '--selector', 'millrace.dev/kind=build');
  return pods.filter(({ status }) => status?.phase === 'Pending' || status?.phase === 'Running').length;
};

test('120 simultaneous triggers of one team do not delay another team, and the operator stays the leader', async () => {
  const leader = await leaseState();
  const before = await medianStart(good);
  const burst = await Promise.all(
    Array.from({ length: BURST }, async () => created(await greedy.trigger('work'))),
  );
  const during = await medianStart(good);
  const pods = await podsOfGreedy();
  const numbers = burst.map(({ number }) => Number(number)).toSorted((a, b) => a - b);
  const last = await greedy.build('work', String(numbers.at(-1)));
  console.log(
    `another team's build starts after ${before} ms alone, after ${during} ms beside ${BURST} triggers; ${pods} Pods`,
  );
  expect(last).toMatchObject({ status: 'pending', message: expect.stringMatching(/^Queued: /) });
  expect(pods).toBeGreaterThan(0);
  expect(pods).toBeLessThanOrEqual(LIMIT);
  expect(during).toBeLessThanOrEqual(maxStart(before));
  expect(await leaseState()).toBe(leader);
}, 600_000);

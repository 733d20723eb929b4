import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPipeline, createTeam, deleteTeam, oneJob, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, RELEASE } from '#e2e/support/gateway.ts';
import { kubectl, list } from '#e2e/support/kubectl.ts';
import { allowedStart, usualStart } from '#e2e/support/start-times.ts';

/*
 * A team without limits triggers 120 builds at once. Another team's build must start as it does when nobody
 * else is there, the operator keeps the lead, and the greedy team has no more Pods than the installation's
 * limit.
 */

const GREEDY = teamName('e2e-greedy');
const GOOD = teamName('e2e-good');
const BURST = 120;
/** The chart's defaults.limits.runningBuilds. */
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

const lead = (): Promise<string> =>
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

test('120 triggers of one team at once do not delay another team, and cost nobody the lead', async () => {
  const leader = await lead();
  const before = await usualStart(good);
  const burst = await Promise.all(
    Array.from({ length: BURST }, async () => created(await greedy.trigger('work'))),
  );
  const during = await usualStart(good);
  const pods = await podsOfGreedy();
  const numbers = burst.map(({ number }) => Number(number)).toSorted((a, b) => a - b);
  const last = await greedy.build('work', String(numbers.at(-1)));
  console.log(
    `another team's build starts after ${before} ms alone, after ${during} ms beside ${BURST} triggers; ${pods} Pods`,
  );
  expect(last).toMatchObject({ status: 'pending', message: expect.stringMatching(/^TeamLimit: /) });
  expect(pods).toBeGreaterThan(0);
  expect(pods).toBeLessThanOrEqual(LIMIT);
  expect(during).toBeLessThanOrEqual(allowedStart(before));
  expect(await lead()).toBe(leader);
}, 600_000);

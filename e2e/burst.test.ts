import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPipeline, createTeam, deleteTeam, oneJob, teamName } from '#e2e/support/fixtures.ts';
import { type Build, created, pipelineApi, RELEASE } from '#e2e/support/gateway.ts';
import { kubectl, list } from '#e2e/support/kubectl.ts';

/*
 * A team without limits triggers 120 builds at once. Another team's build must start as it does when nobody else is there, the operator
 * keeps the lead, and the greedy team has no more Pods than the installation's limit.
 */

const GREEDY = teamName('e2e-greedy');
const GOOD = teamName('e2e-good');
const BURST = 120;
/** The chart's defaults.limits.runningBuilds. */
const LIMIT = 20;
const SAMPLES = 5;

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

/** Milliseconds from its making to its first step. */
async function startTime(): Promise<number> {
  let build: Build = created(await good.trigger('work'));
  while (build.started_at === undefined) {
    await sleep(100);
    build = await good.build('work', build.number);
  }
  return Date.parse(build.started_at) - Date.parse(build.created_at);
}

/** The median of some builds, one after the other. */
async function usualStart(): Promise<number> {
  const times: number[] = [];
  for (let one = 0; one < SAMPLES; one += 1) {
    times.push(await startTime());
    await sleep(500);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? Infinity;
}

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
  const before = await usualStart();
  const burst = await Promise.all(
    Array.from({ length: BURST }, async () => created(await greedy.trigger('work'))),
  );
  const during = await usualStart();
  const pods = await podsOfGreedy();
  const numbers = burst.map(({ number }) => Number(number)).toSorted((a, b) => a - b);
  const last = await greedy.build('work', String(numbers.at(-1)));
  console.log(
    `another team's build starts after ${before} ms alone, after ${during} ms beside ${BURST} triggers; ${pods} Pods`,
  );
  expect(last).toMatchObject({ status: 'pending', message: expect.stringMatching(/^TeamLimit: /) });
  expect(pods).toBeGreaterThan(0);
  expect(pods).toBeLessThanOrEqual(LIMIT);
  // A second more than twice: a busy machine's noise, and a tenth of what the burst cost before.
  expect(during).toBeLessThanOrEqual(2 * before + 1000);
  expect(await lead()).toBe(leader);
}, 600_000);

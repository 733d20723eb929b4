import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { NewCommit } from '#testing/forges/forge-under-test.ts';
import type { GiteaRepository } from '#testing/forges/gitea-repository.ts';
import { startGitea, type Gitea } from '#testing/forges/gitea.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* A real Gitea sends webhooks, signed with its own code, to the public gateway on a port. */
const RESOURCE = '/teams/main/pipelines/app/resources/git.app';

let stores: TestStores;
let gateway: Gateway;
let gitea: Gitea;
let repository: GiteaRepository;
let as = '';
let count = 0;

beforeAll(async () => {
  stores = await openStores();
  [gateway, gitea] = await Promise.all([openGateway(stores), startGitea()]);
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await gateway.account('ann', { teams: { main: 'maintain' } });
  as = await gateway.session('ann');
  await checkRuns();
  count += 1;
  repository = await gitea.createRepository(`app-${count}`);
});
afterAll(async () => {
  await Promise.all([gateway.close(), gitea.stop()]);
  await stores.close();
});

interface Webhook {
  webhook_token: string;
  webhook_secret: string;
}

/** Enters the address of the resource in the forge, with the secret that `secretOf` chooses. */
async function enter(
  secretOf: (right: string) => string | undefined,
  what = `GET ${RESOURCE}`,
  more: { body?: object } = {},
): Promise<void> {
  const { webhook_token: token, webhook_secret: right } = (
    await gateway.ask<{ data: Webhook }>(what, { as, ...more })
  ).body.data;
  const secret = secretOf(right);
  const url = `${gateway.base}/webhooks/${token}`;
  await repository.createWebhook({
    url,
    events: ['push', 'request'],
    ...(secret !== undefined && { secret }),
  });
}

const due = async () => await stores.checks.dueChecks(new Date(), 10);

/** Runs the checks that are due, as an agent would. Returns how many there were. */
async function checkRuns(): Promise<number> {
  const checks = await due();
  for (const { scope, cause } of checks) {
    const opened = await stores.checks.openRun([scope], cause, new Date());
    if (opened === undefined) throw new Error('a check that is due cannot run');
    const result = { run: opened.run, scope, versions: [{ ref: 'one' }], log: '' };
    await stores.checks.recordCheck(result, new Date());
    await stores.checks.closeRun(opened.run, new Date());
  }
  return checks.length;
}

/** How many webhooks the gateway has answered in this way. */
async function answered(result: 'accepted' | 'refused'): Promise<number> {
  const line = new RegExp(`^millrace_webhooks_total\\{[^}]*result="${result}"[^}]*\\} (\\d+)$`, 'm');
  return Number(line.exec(await gateway.metrics())?.[1] ?? 0);
}

/** Runs `work`, and waits until the forge has sent so many webhooks. */
async function sends(calls: { accepted?: number; refused?: number }, work: () => Promise<unknown>) {
  const before = { accepted: await answered('accepted'), refused: await answered('refused') };
  const { accepted = 0, refused = 0 } = calls;
  const seen = async (): Promise<{ accepted: number; refused: number }> => ({
    accepted: (await answered('accepted')) - before.accepted,
    refused: (await answered('refused')) - before.refused,
  });
  await work();
  for (let now = await seen(); now.accepted + now.refused < accepted + refused; now = await seen())
    await sleep(20);
  expect(await seen()).toEqual({ accepted, refused });
}

/** Pushes a commit and waits for its webhook, which Gitea sends after it has answered the push. */
async function push(about: NewCommit): Promise<string> {
  let made = '';
  await sends({ accepted: 1 }, async () => (made = await repository.commit(about)));
  return made;
}

describe('a webhook of Gitea', () => {
  test('requests a check when somebody pushes', async () => {
    await enter((right) => right);
    expect(await due()).toEqual([]);
    await sends({ accepted: 1 }, async () => await repository.commit({ message: 'one' }));
    expect(await due()).toMatchObject([{ resource: 'git.app', cause: 'webhook' }]);
  });

  test('requests a check when somebody opens a request', async () => {
    await enter((right) => right);
    await push({ message: 'one' });
    await push({ message: 'two', branch: 'change' });
    await checkRuns();
    expect(await due()).toEqual([]);
    const request = { title: 'a change', branch: 'change' };
    await sends({ accepted: 1 }, async () => await repository.openRequest(request));
    expect(await due()).toMatchObject([{ resource: 'git.app', cause: 'webhook' }]);
  });

  test('is refused if its secret is another one', async () => {
    await enter((right) => `${right}x`);
    await sends({ refused: 1 }, async () => await repository.commit({ message: 'one' }));
    expect(await due()).toEqual([]);
  });

  test('is accepted without a secret, until signatures are required', async () => {
    await enter(() => undefined);
    await sends({ accepted: 1 }, async () => await repository.commit({ message: 'one' }));
    await checkRuns();
    const required = { body: { signature: 'required' } };
    await enter(() => undefined, `POST ${RESOURCE}/webhook_token`, required);
    // The old address is unknown now.
    await sends({ refused: 1 }, async () => await repository.commit({ message: 'two' }));
    expect(await due()).toEqual([]);
  });

  test('is accepted with its secret where signatures are required', async () => {
    const required = { body: { signature: 'required' } };
    await enter((right) => right, `POST ${RESOURCE}/webhook_token`, required);
    await sends({ accepted: 1 }, async () => await repository.commit({ message: 'one' }));
    expect(await due()).toMatchObject([{ cause: 'webhook' }]);
  });

  test('makes one check together with those that come before it runs, and one more with later ones', async () => {
    await enter((right) => right);
    const one = await push({ message: 'one' });
    await checkRuns();
    const tag = async (name: string) => await repository.createTag(name, one);
    await sends({ accepted: 3 }, async () => await Promise.all(['a', 'b', 'c'].map(tag)));
    expect(await due()).toMatchObject([{ cause: 'webhook' }]);
    const [{ scope } = { scope: 0 }] = await due();
    const opened = await stores.checks.openRun([scope], 'webhook', new Date());
    await sends({ accepted: 2 }, async () => await Promise.all(['d', 'e'].map(tag)));
    expect(await due()).toEqual([]);
    await stores.checks.closeRun(opened?.run ?? 0, new Date());
    expect(await checkRuns()).toBe(1);
    expect(await due()).toEqual([]);
  });
});

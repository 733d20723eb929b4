import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { NewCommit } from '#testing/forges/forge-under-test.ts';
import type { GiteaRepository } from '#testing/forges/gitea-repository.ts';
import { startGitea, type Gitea } from '#testing/forges/gitea.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* A real Gitea signs webhooks and sends them to the public gateway. */
const RESOURCE = '/teams/main/pipelines/app/resources/git.app';

let stores: TestStores;
let gateway: Gateway;
let gitea: Gitea;
let repository: GiteaRepository;
let as = '';
let repositoryCount = 0;

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
  await runDueChecks();
  repositoryCount += 1;
  repository = await gitea.createRepository(`app-${repositoryCount}`);
});
afterAll(async () => {
  await Promise.all([gateway.close(), gitea.stop()]);
  await stores.close();
});

interface Webhook {
  webhook_token: string;
  webhook_secret: string;
}

/**
 * Creates a webhook in Gitea with the address that `route` returns. `secretFor` gets the secret of the
 * resource and returns the one that Gitea uses.
 */
async function createWebhook(
  secretFor: (resourceSecret: string) => string | undefined,
  route = `GET ${RESOURCE}`,
  options: { body?: object } = {},
): Promise<void> {
  const { webhook_token: token, webhook_secret: resourceSecret } = (
    await gateway.ask<{ data: Webhook }>(route, { as, ...options })
  ).body.data;
  const secret = secretFor(resourceSecret);
  const url = `${gateway.base}/webhooks/${token}`;
  await repository.createWebhook({
    url,
    events: ['push', 'request'],
    ...(secret !== undefined && { secret }),
  });
}

const dueChecks = async () => await stores.checks.dueChecks(new Date(), 10);

/** Runs the checks that are due, as an agent would. Returns their number. */
async function runDueChecks(): Promise<number> {
  const checks = await dueChecks();
  for (const { scope, cause } of checks) {
    const opened = await stores.checks.openRun([scope], cause, new Date());
    if (opened === undefined) throw new Error('a check that is due cannot run');
    const result = { run: opened.run, scope, versions: [{ ref: 'one' }], log: '' };
    await stores.checks.recordCheck(result, new Date());
    await stores.checks.closeRun(opened.run, new Date());
  }
  return checks.length;
}

/** How many webhooks the gateway has accepted or refused so far. */
async function countWebhooks(result: 'accepted' | 'refused'): Promise<number> {
  const line = new RegExp(`^millrace_webhooks_total\\{[^}]*result="${result}"[^}]*\\} (\\d+)$`, 'm');
  return Number(line.exec(await gateway.metrics())?.[1] ?? 0);
}

/** Runs `work`, and waits until the gateway has accepted and refused exactly this many webhooks. */
async function expectWebhooks(calls: { accepted?: number; refused?: number }, work: () => Promise<unknown>) {
  const before = { accepted: await countWebhooks('accepted'), refused: await countWebhooks('refused') };
  const { accepted = 0, refused = 0 } = calls;
  const countNew = async (): Promise<{ accepted: number; refused: number }> => ({
    accepted: (await countWebhooks('accepted')) - before.accepted,
    refused: (await countWebhooks('refused')) - before.refused,
  });
  await work();
  const countAllNew = async (): Promise<number> => {
    const counts = await countNew();
    return counts.accepted + counts.refused;
  };
  while ((await countAllNew()) < accepted + refused) await sleep(20);
  expect(await countNew()).toEqual({ accepted, refused });
}

/** Pushes a commit and waits for its webhook, which Gitea sends after it has answered the push. */
async function push(newCommit: NewCommit): Promise<string> {
  let commit = '';
  await expectWebhooks({ accepted: 1 }, async () => (commit = await repository.commit(newCommit)));
  return commit;
}

describe('a webhook of Gitea', () => {
  test('requests a check when somebody pushes', async () => {
    await createWebhook((secret) => secret);
    expect(await dueChecks()).toEqual([]);
    await expectWebhooks({ accepted: 1 }, async () => await repository.commit({ message: 'one' }));
    expect(await dueChecks()).toMatchObject([{ resource: 'git.app', cause: 'webhook' }]);
  });

  test('requests a check when somebody opens a request', async () => {
    await createWebhook((secret) => secret);
    await push({ message: 'one' });
    await push({ message: 'two', branch: 'change' });
    await runDueChecks();
    expect(await dueChecks()).toEqual([]);
    const request = { title: 'a change', branch: 'change' };
    await expectWebhooks({ accepted: 1 }, async () => await repository.openRequest(request));
    expect(await dueChecks()).toMatchObject([{ resource: 'git.app', cause: 'webhook' }]);
  });

  test('requests a check when a user who may only read pushes a request for review', async () => {
    const reader = await gitea.createUser('reader');
    await createWebhook((secret) => secret);
    await push({ message: 'one' });
    await runDueChecks();
    const review = { topic: 'fix', message: 'theirs' };
    await expectWebhooks({ accepted: 1 }, async () => await repository.pushForReview(reader, review));
    expect(await dueChecks()).toMatchObject([{ resource: 'git.app', cause: 'webhook' }]);
  });

  test('is refused if it is signed with a wrong secret', async () => {
    await createWebhook((secret) => `${secret}x`);
    await expectWebhooks({ refused: 1 }, async () => await repository.commit({ message: 'one' }));
    expect(await dueChecks()).toEqual([]);
  });

  test('is accepted without a secret, until signatures are required', async () => {
    await createWebhook(() => undefined);
    await expectWebhooks({ accepted: 1 }, async () => await repository.commit({ message: 'one' }));
    await runDueChecks();
    const required = { body: { signature: 'required' } };
    await createWebhook(() => undefined, `POST ${RESOURCE}/webhook_token`, required);
    // The old address is unknown now.
    await expectWebhooks({ refused: 1 }, async () => await repository.commit({ message: 'two' }));
    expect(await dueChecks()).toEqual([]);
  });

  test('is accepted with its secret if signatures are required', async () => {
    const required = { body: { signature: 'required' } };
    await createWebhook((secret) => secret, `POST ${RESOURCE}/webhook_token`, required);
    await expectWebhooks({ accepted: 1 }, async () => await repository.commit({ message: 'one' }));
    expect(await dueChecks()).toMatchObject([{ cause: 'webhook' }]);
  });

  test('shares one check with webhooks that arrive before the check runs, and later ones share another', async () => {
    await createWebhook((secret) => secret);
    const commit = await push({ message: 'one' });
    await runDueChecks();
    const tag = async (name: string) => await repository.createTag(name, commit);
    await expectWebhooks({ accepted: 3 }, async () => await Promise.all(['a', 'b', 'c'].map(tag)));
    expect(await dueChecks()).toMatchObject([{ cause: 'webhook' }]);
    const [{ scope } = { scope: 0 }] = await dueChecks();
    const opened = await stores.checks.openRun([scope], 'webhook', new Date());
    await expectWebhooks({ accepted: 2 }, async () => await Promise.all(['d', 'e'].map(tag)));
    expect(await dueChecks()).toEqual([]);
    await stores.checks.closeRun(opened?.run ?? 0, new Date());
    expect(await runDueChecks()).toBe(1);
    expect(await dueChecks()).toEqual([]);
  });
});

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, scheduleOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/* People press "Re-run" in a forge, which sends signed webhooks over HTTP, on a real Postgres. */
const UNIT = { team: 'main', pipeline: 'app', job: 'unit' };

interface Webhook {
  webhook_token: string;
  webhook_secret: string;
}
interface Delivered {
  status: number;
  rerun?: { retried: boolean; build?: { number: string }; reasons: { code: string }[] };
}

let stores: TestStores;
let gateway: Gateway;
let as = '';
let webhook: Webhook;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
beforeEach(async () => {
  await stores.empty();
  for (const name of ['main', 'other']) await stores.teams.saveTeam({ name, namespace: name });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await runFailedBuild(saved);
  await gateway.account('ann', { teams: { main: 'maintain', other: 'maintain' } });
  as = await gateway.session('ann');
  webhook = await webhookOf('main', 'app');
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

/** Runs build 1 of the job `unit`, which fails. */
async function runFailedBuild(saved: SavedPipeline): Promise<void> {
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleOn(stores, saved.id, new Date());
  await endAsFailed('1');
}

async function endAsFailed(number: string): Promise<void> {
  await giveTurns(stores);
  const { id = 0 } = (await stores.views.build({ ...UNIT, number })) ?? {};
  const end = { outcome: 'failed', reason: 'StepFailed', message: 'The step test failed.' } as const;
  await endOn(stores, id, 1, { ...end, at: new Date() });
}

async function webhookOf(team: string, pipeline: string): Promise<Webhook> {
  const path = `/teams/${team}/pipelines/${pipeline}/resources/git.app`;
  return (await gateway.ask<{ data: Webhook }>(`GET ${path}`, { as })).body.data;
}

/** Sends the webhook for a click on "Re-run", as GitHub does. */
async function deliver(
  externalId: string,
  options: { to?: Webhook; secret?: string; event?: string } = {},
): Promise<Delivered> {
  const { to = webhook, event = 'check_run' } = options;
  const { secret = to.webhook_secret } = options;
  const body = JSON.stringify({
    action: 'rerequested',
    [event]: { id: 4, head_sha: 'a'.repeat(40), external_id: externalId },
    sender: { login: 'octo-cat' },
  });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const { statusCode, json } = await gateway.app.inject({
    method: 'POST',
    url: `/webhooks/${to.webhook_token}`,
    payload: body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-hub-signature-256': `sha256=${signature}`,
    },
  });
  return { status: statusCode, ...json<{ data?: Omit<Delivered, 'status'> }>().data };
}

const refused = (code: string) => ({ status: 202, rerun: { retried: false, reasons: [{ code }] } });

/** The numbers of the builds of `unit`, newest first. */
const buildNumbers = async (): Promise<string[]> =>
  ((await stores.views.builds(UNIT, { limit: 50 }))?.rows ?? []).map(({ number }) => number);

async function auditEntries(): Promise<object[]> {
  const { body } = await gateway.ask<{ data: { action: string }[] }>('GET /teams/main/audit', { as });
  return body.data.filter(({ action }) => action === 'job.retried');
}

describe('a signed webhook of a re-run', () => {
  test('retries the build that failed, and is named in the audit log', async () => {
    expect(await deliver('main/app/unit/1')).toMatchObject({
      status: 202,
      rerun: { retried: true, build: { number: '1.1' }, reasons: [] },
    });
    expect(await buildNumbers()).toEqual(['1.1', '1']);
    expect(await stores.views.build({ ...UNIT, number: '1.1' })).toMatchObject({ status: 'pending' });
    expect(await auditEntries()).toMatchObject([
      {
        actor: 'webhook of git.app',
        target: 'app/unit/1',
        details: { number: '1.1', resource: 'git.app', credential: 'webhook', sender: 'octo-cat' },
      },
    ]);
  });

  test('starts one retry, even if it is delivered several times at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(async () => await deliver('main/app/unit/1')));
    expect(answers.filter(({ rerun }) => rerun?.retried)).toHaveLength(1);
    expect(await deliver('main/app/unit/1')).toMatchObject(refused('RetriedAlready'));
    expect(await buildNumbers()).toEqual(['1.1', '1']);
    expect(await auditEntries()).toHaveLength(1);
  });

  test('retries a retry that failed', async () => {
    await deliver('main/app/unit/1');
    await endAsFailed('1.1');
    expect(await deliver('main/app/unit/1.1')).toMatchObject({ rerun: { build: { number: '1.2' } } });
  });

  test.each([
    ['has not ended', 'main/app/unit/1.1', 'NotEnded'],
    ['does not exist', 'main/app/unit/2', 'BuildUnknown'],
    ['is of a job that does not exist', 'main/app/none/1', 'BuildUnknown'],
    ['is not named, because another application made the check run', '4711', 'NoBuildNamed'],
  ])('retries nothing if the build %s', async (_title, id, code) => {
    await deliver('main/app/unit/1');
    expect(await deliver(id)).toMatchObject(refused(code));
    expect(await buildNumbers()).toEqual(['1.1', '1']);
  });

  test('retries no build of a paused pipeline', async () => {
    await stores.actions.pausePipeline(UNIT, 'ann');
    expect(await deliver('main/app/unit/1')).toMatchObject({ status: 202, rerun: { retried: false } });
    expect(await buildNumbers()).toEqual(['1']);
  });

  test('retries no build of a job that needs approval now', async () => {
    const sample = samplePipeline();
    const jobs = sample.jobs.map((job) => ({ ...job, approval: { label: 'go', approvals: 1, notify: [] } }));
    await stores.pipelines.savePipeline(toSave({ ...sample, jobs }));
    expect(await deliver('main/app/unit/1')).toMatchObject(refused('RetryByMember'));
    expect(await buildNumbers()).toEqual(['1']);
  });

  test('retries nothing for a check suite, because it names no build', async () => {
    const answer = await deliver('main/app/unit/1', { event: 'check_suite' });
    expect(answer).toMatchObject(refused('SuiteNotSupported'));
    expect(await buildNumbers()).toEqual(['1']);
  });
});

describe('a forged re-run retries nothing', () => {
  test('with the signature of another secret', async () => {
    expect(await deliver('main/app/unit/1', { secret: 'guessed' })).toEqual({ status: 403 });
    expect(await buildNumbers()).toEqual(['1']);
    expect(await auditEntries()).toEqual([]);
  });

  test.each([
    ['another pipeline of the team', 'main', 'second'],
    ['a pipeline of this name in another team', 'other', 'app'],
  ])('with the secret of %s', async (_title, team, pipeline) => {
    const names = { team, pipeline, namespace: team };
    await stores.pipelines.savePipeline(toSave(samplePipeline(), names));
    const to = await webhookOf(team, pipeline);
    expect(await deliver('main/app/unit/1', { to })).toMatchObject(refused('OtherPipeline'));
    expect(await buildNumbers()).toEqual(['1']);
  });

  test('with an address that a new one has replaced', async () => {
    const path = '/teams/main/pipelines/app/resources/git.app/webhook_token';
    await gateway.ask(`POST ${path}`, { as });
    expect(await deliver('main/app/unit/1')).toEqual({ status: 404 });
    expect(await buildNumbers()).toEqual(['1']);
  });
});

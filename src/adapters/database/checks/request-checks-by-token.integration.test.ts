import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { webhookToken, webhookTokenHash } from '#adapters/crypto/digests.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type { WebhookCall } from '#flows/checks/ports.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, WEBHOOK_KEY, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const NAMES = ['git.app', 'git.lib', 'git.docs'];
const NOW = new Date('2099-01-01T00:00:00Z');
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const resources = NAMES.map((name) => resource(name, { schedule: { kind: 'every', seconds: 60 } }));
  saved = await stores.pipelines.savePipeline(
    toSave(samplePipeline({ resources, jobs: [job('unit', get('git.app'))] })),
  );
  const scopes = saved.resources.map(({ scope }) => scope);
  const run = await stores.checks.openRun(scopes, 'schedule', NOW);
  await stores.checks.closeRun(run?.run ?? 0, NOW);
});

const hashOf = (id: number, generation = 1): string =>
  webhookTokenHash(webhookToken(WEBHOOK_KEY, id, generation));
const resourceOf = (name: string) =>
  saved.resources.find((candidate) => candidate.name === name) ?? { id: 0, scope: 0, name };
const call = (name: string, signature: WebhookCall['signature'] = 'absent'): WebhookCall => ({
  tokenHash: hashOf(resourceOf(name).id),
  signature,
});
const requestChecks = async (calls: WebhookCall[], wait = false) =>
  await stores.checks.requestChecksByToken({ calls, wait }, NOW);
const resourcesDueByWebhook = async (): Promise<string[]> =>
  (await stores.checks.dueChecks(NOW, 100))
    .filter(({ cause }) => cause === 'webhook')
    .map(({ resource: name }) => name)
    .toSorted();

const regenerate = async (signed?: boolean) =>
  await stores.actions.regenerateWebhook({ ...APP, resource: 'git.app' }, hashOf, signed);

const walPosition = async (): Promise<string> =>
  await stores.pool.oneFirst(rows<{ at: string }>()`SELECT pg_current_wal_insert_lsn()::text AS at`);

/**
 * The answers to a token of `git.app` of this generation: without, with a valid and with an invalid
 * signature.
 */
const answersTo = async (generation: number) => {
  const tokenHash = hashOf(resourceOf('git.app').id, generation);
  const calls = (['absent', 'valid', 'invalid'] as const).map((signature) => ({ tokenHash, signature }));
  return (await requestChecks(calls)).answers;
};

describe('many webhooks in one transaction', () => {
  test('each webhook has its own answer, and a check is requested once', async () => {
    const unknown: WebhookCall = { tokenHash: 'f'.repeat(64), signature: 'absent' };
    const calls = [
      call('git.app'),
      unknown,
      call('git.lib', 'valid'),
      call('git.docs', 'invalid'),
      call('git.app', 'valid'),
    ];
    expect(await requestChecks(calls)).toEqual({
      answers: ['requested', 'unknown', 'requested', 'refused', 'requested'],
      written: true,
    });
    expect(await resourcesDueByWebhook()).toEqual(['git.app', 'git.lib']);
  });

  test('a check that is already requested sends no second notification', async () => {
    await requestChecks([call('git.app')]);
    expect(await requestChecks([call('git.app'), call('git.app', 'valid')])).toEqual({
      answers: ['requested', 'requested'],
      written: false,
    });
  });

  test('a webhook during a check leads to one more check', async () => {
    await requestChecks([call('git.app')]);
    await stores.checks.openRun([resourceOf('git.app').scope], 'webhook', NOW);
    expect(await resourcesDueByWebhook()).toEqual([]);
    expect((await requestChecks([call('git.app')])).written).toBe(true);
  });

  test('a locked resource delays no other, and a webhook that waits for it is answered afterwards', async () => {
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    const { promise: holding, resolve: held } = Promise.withResolvers<void>();
    const holder = stores.pool.transaction(async (connection) => {
      await connection.query(rows()`
        SELECT 1 FROM check_scopes WHERE id = ${resourceOf('git.app').scope} FOR UPDATE`);
      held();
      await done;
    });
    await holding;
    expect((await requestChecks([call('git.app'), call('git.lib')])).answers).toEqual(['busy', 'requested']);
    const waitingCall = requestChecks([call('git.app')], true);
    release();
    await holder;
    expect((await waitingCall).answers).toEqual(['requested']);
    expect(await resourcesDueByWebhook()).toEqual(['git.app', 'git.lib']);
  });

  test('every call writes to the write-ahead log, so that an unknown token takes as long as a known one', async () => {
    const before = await walPosition();
    await requestChecks([{ tokenHash: '0'.repeat(64), signature: 'absent' }]);
    expect(await walPosition()).not.toBe(before);
  });
});

describe('a token that is replaced', () => {
  test('a new token replaces the old one at once and stays with the next revision', async () => {
    const { id } = resourceOf('git.app');
    expect(await regenerate()).toMatchObject({ answer: 'done', resource: id, generation: 2, signed: false });
    const again: WebhookCall = { tokenHash: hashOf(id, 2), signature: 'absent' };
    expect((await requestChecks([call('git.app'), again])).answers).toEqual(['unknown', 'requested']);
    await stores.pipelines.savePipeline(toSave(samplePipeline()));
    expect((await requestChecks([call('git.app'), again])).answers).toEqual(['unknown', 'requested']);
  });

  test('a token may require a signature until that is changed', async () => {
    await regenerate(true);
    expect(await answersTo(2)).toEqual(['refused', 'requested', 'refused']);
    expect(await stores.views.resource({ ...APP, resource: 'git.app' })).toMatchObject({
      webhookGeneration: 2,
      webhookSigned: true,
    });
    await regenerate();
    expect(await answersTo(3)).toEqual(['refused', 'requested', 'refused']);
    await regenerate(false);
    expect(await answersTo(4)).toEqual(['requested', 'requested', 'refused']);
  });

  test('a resource that does not exist gets no token', async () => {
    expect(await stores.actions.regenerateWebhook({ ...APP, resource: 'git.none' }, hashOf)).toEqual({
      answer: 'unknown',
    });
    expect(
      await stores.actions.regenerateWebhook({ team: 'other', pipeline: 'app', resource: 'git.app' }, hashOf),
    ).toEqual({
      answer: 'unknown',
    });
  });
});

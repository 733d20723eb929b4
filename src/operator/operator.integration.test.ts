import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { markClientSecrets } from '#adapters/kubernetes/objects/client-secrets.ts';
import {
  apply,
  client,
  conditionNow,
  pipelineText,
  eventually,
  createNamespace,
  operator,
  applyPipeline,
  untilReason,
  restart,
  stores,
  applyTeam,
  useOperator,
} from '#testing/operator/operator-in-cluster.ts';
import { triggerOn } from '#testing/stores/schedule.ts';

useOperator();

const IN_RELEASE = { namespace: 'millrace-system' };

async function secretsOfInstallation() {
  const secrets: { name: string; labels: object; annotations: Record<string, string> }[] = [];
  orThrow(
    await client.list(KINDS.secrets, IN_RELEASE, (items) => {
      for (const { metadata } of items) {
        const { name = '', labels = {}, annotations = {} } = metadata ?? {};
        secrets.push({ name, labels, annotations });
      }
    }),
    'listing Secrets',
  );
  return secrets;
}

async function valuesOf(name: string): Promise<unknown> {
  return orThrow(await client.get(KINDS.secrets, { ...IN_RELEASE, name }), 'reading').data;
}

describe('the Secrets of the installation', () => {
  const MARKS = {
    labels: { 'app.kubernetes.io/managed-by': 'millrace' },
    annotations: {
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
    },
  };
  const NAMES = ['admin', 'internal-ca', 'internal-tls', 'keys', 'oauth-api', 'store'].map(
    (suffix) => `millrace-${suffix}`,
  );
  const marked = NAMES.map((name) => ({ name, ...MARKS }));

  test('are never pruned or deleted by Argo CD, with any tracking method', async () => {
    await eventually(secretsOfInstallation, (secrets) => secrets.length === NAMES.length);
    expect(await secretsOfInstallation()).toEqual(marked);
  });

  test('of an older release get the Argo CD labels and annotations at the next start, and keep their values', async () => {
    const old = {
      metadata: {
        labels: { 'app.kubernetes.io/instance': 'millrace' },
        annotations: { 'argocd.argoproj.io/sync-options': null, 'argocd.argoproj.io/compare-options': null },
      },
    };
    const values = await Promise.all(NAMES.map(valuesOf));
    await Promise.all(NAMES.map((name) => client.patchMerge(KINDS.secrets, { ...IN_RELEASE, name }, old)));
    operator.stop.abort();
    await operator.ended;
    restart();
    // The public gateway adds the mark, because the operator may not change the Secret after creating it.
    await markClientSecrets({ client, ...IN_RELEASE, name: 'millrace-oauth-api' });
    await eventually(secretsOfInstallation, (secrets) => isDeepStrictEqual(secrets, marked));
    expect(await Promise.all(NAMES.map(valuesOf))).toEqual(values);
  });
});

describe('a Team in the operator', () => {
  test('gets its namespace with a ServiceAccount, NetworkPolicy, ResourceQuota and RoleBindings', async () => {
    await applyTeam('blue', { displayName: 'Blue', limits: { requests: { cpu: 8 } } });
    await eventually(
      () => conditionNow(KINDS.teams, '', 'blue'),
      (condition) => condition?.reason === 'NamespaceReady',
    );
    const objects = await Promise.all([
      client.get(KINDS.serviceAccounts, { namespace: 'blue', name: 'millrace-pods' }),
      client.get(KINDS.networkPolicies, { namespace: 'blue', name: 'millrace-pods' }),
      client.get(KINDS.resourceQuotas, { namespace: 'blue', name: 'millrace' }),
      client.get(KINDS.roleBindings, { namespace: 'blue', name: 'millrace-operator-team' }),
      client.get(KINDS.roleBindings, { namespace: 'blue', name: 'millrace-gateway-team' }),
    ]);
    expect(objects.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  test('loses its quota if its spec no longer has one', async () => {
    await applyTeam('blue', { displayName: 'Blue' });
    await eventually(
      () => client.get(KINDS.resourceQuotas, { namespace: 'blue', name: 'millrace' }),
      (answer) => !answer.ok && answer.status === 404,
    );
  });

  test('does not take over a namespace that lacks its label', async () => {
    await createNamespace('theirs');
    await applyTeam('green', { namespace: 'theirs' });
    const refused = await eventually(
      () => conditionNow(KINDS.teams, '', 'green'),
      (condition) => condition?.status === 'False',
    );
    expect(refused).toMatchObject({ reason: 'NamespaceNotOurs' });
    expect(refused?.message).toContain('kubectl label namespace theirs millrace.dev/team=green');
    const bound = await client.get(KINDS.roleBindings, {
      namespace: 'theirs',
      name: 'millrace-operator-team',
    });
    expect(bound.ok).toBe(false);
  });
});

test.each<[string, object, object]>([
  ['without limits uses the limits of the installation', {}, { runningBuilds: 7, runningChecks: 2 }],
  [
    'with one limit uses the other limit of the installation',
    { runningBuilds: 9 },
    { runningBuilds: 9, runningChecks: 2 },
  ],
])('a Team %s and reports both in its status', async (_, limits, expected) => {
  const name = `limited-${Object.keys(limits).length}`;
  await applyTeam(name, { limits });
  const status = await eventually(
    async () => {
      const answer = await client.get(KINDS.teams, { name });
      return answer.ok ? answer.value.status : undefined;
    },
    (current) => current?.conditions?.some(({ reason: why }) => why === 'NamespaceReady') ?? false,
  );
  expect(status?.limits).toEqual(expected);
  const { runningBuilds } = { runningBuilds: 0, ...expected };
  expect(
    await stores.pool.oneFirst(
      rows<{ limit: number }>()`SELECT running_builds AS limit FROM teams WHERE name = ${name}`,
    ),
  ).toBe(runningBuilds);
});

interface FoundPod {
  labels: Record<string, string>;
  owner: string | undefined;
  uid: string | undefined;
  text: string;
}

async function buildPods(): Promise<FoundPod[]> {
  const pods: FoundPod[] = [];
  const selection = { namespace: 'blue', labelSelector: 'millrace.dev/kind=build' };
  orThrow(
    await client.list(KINDS.pods, selection, (items) => {
      for (const item of items) {
        const { labels = {}, ownerReferences = [], uid } = item.metadata ?? {};
        pods.push({ labels, owner: ownerReferences[0]?.name, uid, text: JSON.stringify(item) });
      }
    }),
    'listing Pods',
  );
  return pods;
}

test('a triggered build becomes a Pod that is owned by its Pipeline and does not contain its script', async () => {
  await applyTeam('blue', { displayName: 'Blue' });
  await eventually(
    () => conditionNow(KINDS.teams, '', 'blue'),
    (condition) => condition?.reason === 'NamespaceReady',
  );
  await applyPipeline('blue', 'demo', { config: pipelineText('renamed') });
  await untilReason('blue', 'demo', 'Accepted');
  const name = { team: 'blue', pipeline: 'demo' };
  const runs = await eventually(
    () => stores.checks.openRuns(),
    (open) => open.some((run) => run.pipeline === 'demo'),
  );
  const run = runs.find((open) => open.pipeline === 'demo')?.run ?? 0;
  const scope = (await stores.checks.runFacts(run))?.checks[0]?.scope ?? 0;
  await stores.checks.recordCheck({ run, scope, versions: [{ ref: 'a' }], log: '' }, new Date());
  const answer = await triggerOn(stores, { ...name, job: 'renamed' }, 'tester', new Date());
  const number = answer.answer === 'created' ? answer.build.number : JSON.stringify(answer);
  const notifications = openNotifications({ url: stores.url, pool: stores.pool });
  notifications.notify({ topic: 'builds' });
  const isOfBuild = ({ labels }: FoundPod): boolean => labels['millrace.dev/build'] === number;
  const pod = (await eventually(buildPods, (pods) => pods.some(isOfBuild))).find(isOfBuild);
  expect(pod).toMatchObject({
    owner: 'demo',
    labels: { 'millrace.dev/job': 'renamed', 'millrace.dev/team': 'blue' },
  });
  expect(pod?.text).not.toContain('echo hello');
  await eventually(
    () => stores.builds.openAttempts(),
    (attempts) => attempts.some(({ podUid }) => podUid === pod?.uid),
  );
  await notifications.close();
});

test('a Pipeline reports ChecksStalled when its checks are overdue, even if nothing else changes', async () => {
  const lib = pipelineText('second', '2h').replaceAll('app', 'lib');
  await applyTeam('grey', { limits: { runningChecks: 1 } });
  await eventually(
    () => client.get(KINDS.namespaces, { name: 'grey' }),
    (answer) => answer.ok,
  );
  await applyPipeline('grey', 'late', { config: pipelineText('first') + lib });
  await eventually(
    () => stores.checks.openRuns(),
    (runs) => runs.some((run) => run.pipeline === 'late'),
  );
  // Give the operator time to finish its start.
  await sleep(2000);
  await stores.pool.query(rows()`
    UPDATE check_scopes SET requested_at = NULL, requested_cause = NULL, next_check_at = now() - interval '5 hours'
    WHERE run_id IS NULL AND pipeline_id = (SELECT id FROM pipelines WHERE name = 'late')`);
  const stalled = await eventually(
    () => conditionNow(KINDS.pipelines, 'grey', 'late', 'ChecksStalled'),
    (condition) => condition !== undefined,
  );
  expect(stalled).toMatchObject({ status: 'True', reason: 'Overdue' });
});

test('a deleted Pipeline is removed, and gets its history back when it is recreated', async () => {
  await applyPipeline('blue', 'second', { config: pipelineText('unit', '2h') });
  await untilReason('blue', 'second', 'Accepted');
  const before = await stores.pipelines.pipelineFacts({ team: 'blue', pipeline: 'second' });
  orThrow(await client.delete(KINDS.pipelines, { namespace: 'blue', name: 'second' }), 'deleting');
  await eventually(
    () => client.get(KINDS.pipelines, { namespace: 'blue', name: 'second' }),
    (answer) => !answer.ok && answer.status === 404,
  );
  expect(await stores.pipelines.pipelineFacts({ team: 'blue', pipeline: 'second' })).toBeUndefined();
  await applyPipeline('blue', 'second', { config: pipelineText('unit', '2h') });
  await untilReason('blue', 'second', 'Accepted');
  expect(await stores.pipelines.pipelineFacts({ team: 'blue', pipeline: 'second' })).toMatchObject({
    id: before?.id,
    revision: before?.revision,
  });
});

test('a deleted Team that still has Pipelines waits, and says why', async () => {
  await createNamespace('nobody', { 'millrace.dev/team': 'late' });
  await applyTeam('late', { namespace: 'nobody' });
  await applyPipeline('nobody', 'early', { config: pipelineText('unit') });
  await untilReason('nobody', 'early', 'Accepted');
  orThrow(await client.delete(KINDS.teams, { name: 'late' }), 'deleting');
  const waiting = await eventually(
    () => conditionNow(KINDS.teams, '', 'late'),
    (condition) => condition?.reason === 'HasPipelines',
  );
  expect(waiting?.message).toContain('One Pipeline is left in namespace nobody');
  operator.stop.abort();
  await operator.ended;
  restart();
  await applyPipeline('nobody', 'early', { config: pipelineText('meanwhile') });
  await eventually(
    async () => (await stores.pipelines.definition({ team: 'late', pipeline: 'early' }))?.revision,
    (revision) => revision === 2,
  );
  orThrow(await client.delete(KINDS.pipelines, { namespace: 'nobody', name: 'early' }), 'deleting');
  await eventually(
    () => client.get(KINDS.teams, { name: 'late' }),
    (answer) => !answer.ok && answer.status === 404,
  );
});

/** Waits until the OAuthProvider has conditions of these types, with these reasons. Returns its status. */
const untilConditions = async (reasons: Record<string, string>) =>
  await eventually(
    async () => orThrow(await client.get(KINDS.oauthProviders, { name: 'company' }), 'reading').status,
    (status) =>
      Object.entries(reasons).every(([type, why]) =>
        status?.conditions?.some((condition) => condition.type === type && condition.reason === why),
      ),
  );

test('an OAuthProvider is offered for sign-in, and cannot be disabled while a user has no other way to sign in', async () => {
  const spec = {
    type: 'OIDC',
    clientID: 'millrace',
    clientSecretRef: { name: 'idp', key: 'secret' },
    issuerURL: 'https://idp.example.test',
  };
  await apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
  await untilConditions({ Ready: 'SecretNotReadable' });
  expect(await stores.access.oauth.providers()).toEqual([]);

  const readable = { ...spec, clientSecretRef: { name: 'millrace-oauth', key: 'company' } };
  await apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec: readable });
  const status = await untilConditions({ Ready: 'Accepted', SignIn: 'Offered' });
  expect(status?.callbackURL).toBe('https://ci.example.test/auth/oauth/company/callback');
  expect(await stores.access.oauth.providers()).toEqual([
    {
      canonical: 'company',
      type: 'OIDC',
      clientId: 'millrace',
      issuerUrl: 'https://idp.example.test',
      enabled: true,
      secretKey: 'company',
      byApi: false,
      uid: expect.any(String),
      generation: 2,
    },
  ]);

  await stores.pool.query(rows()`
    WITH ann AS (INSERT INTO users (username) VALUES ('ann') RETURNING id)
    INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
    SELECT 'https://idp.example.test', 'ann', id, 'company', now() FROM ann`);
  await apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec: { ...readable, enabled: false } });
  await untilConditions({ Ready: 'WouldLockOut', Stalled: 'WouldLockOut' });
  expect(await stores.access.oauth.providers()).toMatchObject([{ enabled: true }]);

  await stores.pool.query(rows()`UPDATE users SET password_hash = 'some' WHERE username = 'ann'`);
  await apply(KINDS.oauthProviders, {
    metadata: { name: 'company' },
    spec: { ...readable, enabled: false, displayName: 'Company' },
  });
  await untilConditions({ Ready: 'Accepted', SignIn: 'Disabled' });
  expect(await stores.access.oauth.providers()).toMatchObject([{ enabled: false }]);
  orThrow(await client.delete(KINDS.oauthProviders, { name: 'company' }), 'deleting');
  await eventually(
    () => client.get(KINDS.oauthProviders, { name: 'company' }),
    (answer) => !answer.ok && answer.status === 404,
  );
  expect(await stores.access.oauth.providers()).toEqual([]);
});

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { startProxy } from '#testing/network/cuttable-proxy.ts';
import { freePort } from '#testing/network/free-port.ts';
import {
  apply,
  client,
  conditionNow,
  pipelineText,
  applyConfigMap,
  cronJobs,
  events,
  eventually,
  createNamespace,
  operator,
  applyPipeline,
  untilReason,
  restart,
  server,
  start,
  stores,
  applyTeam,
  useOperator,
} from '#testing/operator/operator-in-cluster.ts';

useOperator();

/** The last plan in the status of the Pipeline, once it has this revision. */
async function planOf(revision: number, text: string): Promise<unknown> {
  await applyPipeline('blue', 'planned', { config: text });
  const status = await eventually(
    async () => {
      const answer = await client.get(KINDS.pipelines, { namespace: 'blue', name: 'planned' });
      return answer.ok ? answer.value.status : undefined;
    },
    (current) => current?.revision === revision,
  );
  return status?.lastPlan;
}

/** The check script of the only type of the pipeline `fed`. */
async function checkOfFed(): Promise<string> {
  const definition = await stores.pipelines.definition({ team: 'mint', pipeline: 'fed' });
  const check = definition?.pipeline.resourceTypes[0]?.check;
  return check?.runner === 'shell' && 'cmd' in check ? check.cmd : '';
}

async function resourceVersionOfDemo(): Promise<string> {
  const object = orThrow(await client.get(KINDS.pipelines, { namespace: 'blue', name: 'demo' }), 'reading');
  return object.metadata.resourceVersion ?? '';
}

beforeAll(async () => {
  await applyTeam('blue', { displayName: 'Blue' });
  await eventually(
    () => conditionNow(KINDS.teams, '', 'blue'),
    (condition) => condition?.reason === 'NamespaceReady',
  );
}, 600_000);

describe('a Pipeline in the operator', () => {
  test('becomes a revision and CronJobs, and reports that', async () => {
    await applyPipeline('blue', 'demo', { config: pipelineText('unit') });
    expect(await untilReason('blue', 'demo', 'Accepted')).toBe('Revision 1 is current.');
    expect(await cronJobs('blue')).toMatchObject([
      { name: 'demo-check-every-3600s', schedule: '@every 3600s' },
    ]);
    expect(
      await eventually(
        () => events('blue'),
        (reasons) => reasons.length > 0,
      ),
    ).toEqual(['RevisionApplied']);
  });

  test('with errors keeps its last good revision, and reports all errors', async () => {
    const broken = `${pipelineText('unit')}\njob "other" {\n  nonsense = 1\n}\nwrong "block" {}\n`;
    await applyPipeline('blue', 'demo', { config: broken });
    const message = await untilReason('blue', 'demo', 'InvalidConfig');
    expect(message).toMatch(/^\d+:\d+: .*nonsense/m);
    expect(message).toMatch(/^\d+:\d+: .*wrong/m);
    expect(message).toContain('Revision 1 keeps running.');
    expect(await stores.pipelines.definition({ team: 'blue', pipeline: 'demo' })).toMatchObject({
      revision: 1,
    });
    expect(await cronJobs('blue')).toHaveLength(1);
    await applyPipeline('blue', 'demo', { config: pipelineText('unit') });
    await untilReason('blue', 'demo', 'Accepted');
  });

  test('writes nothing if it is applied again unchanged or if another operator starts', async () => {
    const before = { pipeline: await resourceVersionOfDemo(), cronJobs: await cronJobs('blue') };
    await applyPipeline('blue', 'demo', { config: pipelineText('unit') });
    operator.stop.abort();
    expect(await operator.ended).toBe('stopped');
    restart();
    // A change of another object shows that the new operator works.
    await applyPipeline('blue', 'second', { config: pipelineText('unit', '2h') });
    await untilReason('blue', 'second', 'Accepted');
    expect({
      pipeline: await resourceVersionOfDemo(),
      cronJobs: (await cronJobs('blue')).filter(({ name }) => name.startsWith('demo-')),
    }).toEqual(before);
  }, 600_000);

  test('reports what each change did to jobs and resources, and nothing for no change', async () => {
    const text = pipelineText('unit');
    expect(await planOf(1, text)).toEqual({ jobs: { added: ['unit'] }, resources: { added: ['git.app'] } });
    expect(await planOf(2, text.replace('echo hello', 'echo again'))).toEqual({
      jobs: { changed: ['unit'] },
    });
    expect(await planOf(3, `# nothing\n${text.replace('echo hello', 'echo again')}`)).toBeUndefined();
  });

  test('follows the ConfigMap that it refers to', async () => {
    await applyPipeline('blue', 'third', {
      configFrom: { configMapKeyRef: { name: 'text', key: 'pipeline.hcl' } },
    });
    await untilReason('blue', 'third', 'ConfigMapNotFound');
    await applyConfigMap(pipelineText('unit', '3h'));
    await untilReason('blue', 'third', 'Accepted');
    await applyConfigMap(pipelineText('unit', '4h'));
    await eventually(
      () => cronJobs('blue'),
      (jobs) =>
        jobs.some(({ name }) => name === 'third-check-every-14400s') &&
        jobs.every(({ name }) => name !== 'third-check-every-10800s'),
    );
  });

  test('reads variables from a Secret only by name, and only if the Secret allows it', async () => {
    const data = { token: Buffer.from('very secret').toString('base64') };
    const secret = (labels: Record<string, string>): Promise<void> =>
      apply(KINDS.secrets, { metadata: { namespace: 'blue', name: 'vars', labels }, data });
    const text = `variable "token" {\n  type = string\n}\n${pipelineText('unit').replace('echo hello', 'echo ${var.token}')}`;
    await secret({});
    await applyPipeline('blue', 'fourth', { config: text, varsFrom: [{ secretRef: { name: 'vars' } }] });
    expect(await untilReason('blue', 'fourth', 'SecretNotUsable')).toContain(
      'kubectl -n blue label secret vars millrace.dev/usable=true',
    );
    await secret({ 'millrace.dev/usable': 'true' });
    await untilReason('blue', 'fourth', 'Accepted');
    const saved = JSON.stringify(await stores.pipelines.definition({ team: 'blue', pipeline: 'fourth' }));
    expect(saved).toContain('__millrace_secret_');
    expect(saved).not.toContain('very secret');
  });

  test('fetches a source once, and again on request', async () => {
    const served = {
      text: 'resource_type "feed" {\n  check "shell" {\n    cmd = "one"\n  }\n}\n',
      requests: 0,
    };
    const sources = createServer((_request, response) => {
      served.requests += 1;
      response.end(served.text);
    });
    await new Promise<void>((resolve) => sources.listen(0, '127.0.0.1', resolve));
    sources.unref();
    const address = sources.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await applyTeam('mint', { sources: { allowHTTP: true, allowedHosts: [`127.0.0.1:${port}`] } });
    await eventually(
      () => conditionNow(KINDS.teams, '', 'mint'),
      (condition) => condition?.reason === 'NamespaceReady',
    );
    const text = `resource_type "feed" {\n  source = "http://127.0.0.1:${port}/feed.hcl"\n}\nresource "feed" "f" {}\n`;
    await applyPipeline('mint', 'fed', { config: text });
    await untilReason('mint', 'fed', 'Accepted');
    expect(await checkOfFed()).toBe('one');
    served.text = served.text.replace('one', 'two');
    operator.stop.abort();
    expect(await operator.ended).toBe('stopped');
    restart();
    await applyPipeline('mint', 'other', { config: pipelineText('unit') });
    await untilReason('mint', 'other', 'Accepted');
    expect({ requests: served.requests, type: await checkOfFed() }).toEqual({ requests: 1, type: 'one' });
    const annotations = { 'millrace.dev/requested-at': '2026-11-21T12:00:00Z' };
    await apply(KINDS.pipelines, {
      metadata: { namespace: 'mint', name: 'fed', annotations },
      spec: { config: text },
    });
    expect(await eventually(checkOfFed, (type) => type === 'two')).toBe('two');
    expect(served.requests).toBe(2);
    sources.close();
  }, 600_000);

  test('has its CronJobs restored after somebody changed or deleted them', async () => {
    const name = 'demo-check-every-3600s';
    orThrow(
      await client.patchMerge(KINDS.cronJobs, { namespace: 'blue', name }, { spec: { suspend: false } }),
      'changing',
    );
    const spec = async (): Promise<unknown> => {
      const answer = await client.get(KINDS.cronJobs, { namespace: 'blue', name });
      return answer.ok ? answer.value.spec?.suspend : 'gone';
    };
    await eventually(spec, (suspend) => suspend === true);
    orThrow(await client.delete(KINDS.cronJobs, { namespace: 'blue', name }), 'deleting');
    await eventually(spec, (suspend) => suspend === true);
  });

  test('is applied by an operator that took over while the database was unavailable', async () => {
    const url = new URL(stores.url);
    const database = Number(url.port);
    const proxy = await startProxy(database, await freePort());
    url.port = String(proxy.port);
    const logged: string[] = [];
    const next = start(url.href, pino({ level: 'info' }, { write: (text) => void logged.push(text) }));
    const untilLogged = (words: string): Promise<string> =>
      eventually(
        async () => logged.join(''),
        (text) => text.includes(words),
      );
    await untilLogged('ready to lead');
    await proxy.close();
    operator.stop.abort();
    await operator.ended;
    await untilLogged('the leader epoch could not be taken; the operator tries again');
    const newProxy = await startProxy(database, proxy.port);
    await untilLogged('"leading"');
    await applyPipeline('blue', 'later', { config: pipelineText('unit') });
    await untilReason('blue', 'later', 'Accepted');
    next.stop.abort();
    expect(await next.ended).toBe('stopped');
    await newProxy.close();
    restart();
  });

  test('in a namespace without a Team waits for a Team', async () => {
    await createNamespace('nobody', { 'millrace.dev/team': 'late' });
    await applyPipeline('nobody', 'early', { config: pipelineText('unit') });
    await untilReason('nobody', 'early', 'WaitingForTeam');
    await applyTeam('late', { namespace: 'nobody' });
    await untilReason('nobody', 'early', 'Accepted');
  });

  test('is applied after the API server was killed and came back', async () => {
    await server.kill();
    await sleep(1000);
    await server.start();
    await applyPipeline('blue', 'demo', { config: pipelineText('renamed') });
    expect(await untilReason('blue', 'demo', 'Accepted')).toContain('Revision');
    await eventually(
      async () => (await stores.pipelines.definition({ team: 'blue', pipeline: 'demo' }))?.revision,
      (revision) => revision === 2,
    );
  }, 600_000);
});

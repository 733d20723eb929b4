import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createMetricsServer } from './metrics-server.ts';
import { agentMetrics, createMetrics, publicMetrics, requestMetrics } from './metrics.ts';

const state = { ready: undefined as string | undefined, stuck: undefined as string | undefined };
const { registry } = createMetrics('test', '1.2.3');
const observe = requestMetrics(registry);
publicMetrics(registry);
agentMetrics(registry);
let server: ReturnType<typeof createMetricsServer>;

beforeEach(async () => {
  state.ready = undefined;
  state.stuck = undefined;
  server = createMetricsServer(
    registry,
    async () => state.ready,
    () => state.stuck,
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function fetchPath(path: string): Promise<Response> {
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return await fetch(`http://127.0.0.1:${port}${path}`);
}

async function statusAndText(path: string): Promise<[number, string]> {
  const answer = await fetchPath(path);
  return [answer.status, await answer.text()];
}

describe('the metrics server', () => {
  test('reports a working process as alive, even while the process is not ready', async () => {
    state.ready = 'The database does not answer.';
    expect(await statusAndText('/healthz')).toEqual([200, 'ok\n']);
    expect(await statusAndText('/readyz')).toEqual([503, 'The database does not answer.\n']);
    state.ready = undefined;
    expect(await statusAndText('/readyz?verbose')).toEqual([200, 'ok\n']);
  });

  test('reports a stuck process as not alive', async () => {
    state.stuck = 'The operator has made no progress for 130 seconds.';
    expect(await statusAndText('/healthz')).toEqual([
      503,
      'The operator has made no progress for 130 seconds.\n',
    ]);
  });

  test.each([
    ['/metrics', registry.contentType],
    ['/readyz', 'text/plain; charset=utf-8'],
    ['/elsewhere', 'text/plain; charset=utf-8'],
  ])('sends %s with its content type, uncached', async (path, type) => {
    const { headers } = await fetchPath(path);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('has no other paths', async () => {
    expect((await statusAndText('/'))[0]).toBe(404);
    expect((await statusAndText('/teams/main/pipelines'))[0]).toBe(404);
  });
});

describe('metrics', () => {
  test('follow the naming rules: one prefix, base units, counters that end in _total', async () => {
    const metrics = await registry.getMetricsAsJSON();
    const ours = metrics.filter(({ name }) => !/^(process|nodejs)_/.test(name));
    expect(ours.map(({ name }) => name).toSorted()).toEqual([
      'millrace_agent_address_wait_seconds',
      'millrace_agent_command_streams',
      'millrace_agent_events_total',
      'millrace_agent_nonce_reuse_total',
      'millrace_agent_session_duration_seconds',
      'millrace_agent_warm_pods',
      'millrace_build_info',
      'millrace_check_requests_total',
      'millrace_http_request_duration_seconds',
      'millrace_job_triggers_total',
      'millrace_webhooks_total',
    ]);
    for (const { name, type } of ours) expect(String(type) === 'counter').toBe(name.endsWith('_total'));
  });

  test('count requests by route, and never use a path or an unknown method as a label', async () => {
    observe({ method: 'GET', route: '/teams/:team/pipelines', status: 200, seconds: 0.01 });
    observe({ method: 'BREW', route: 'none', status: 404, seconds: 0.01 });
    const text = (await statusAndText('/metrics'))[1];
    expect(text).toContain(
      '_count{component="test",method="GET",route="/teams/:team/pipelines",status="200"} 1',
    );
    expect(text).toContain('_count{component="test",method="other",route="none",status="404"} 1');
    expect(text).not.toContain('BREW');
    expect(text).toContain('millrace_build_info{version="1.2.3",component="test"} 1');
  });
});

import { describe, expect, jest, test } from '@jest/globals';
import { MAX_WAITING_TRIGGERS_PER_ACCOUNT } from '#adapters/http/api/trigger-limits.ts';
import { inMemoryPorts, WEBHOOK_TOKEN } from '#testing/http/in-memory-ports.ts';
import { APP, BUILD, gateway } from '#testing/http/server-under-test.ts';

const AT = new Date('2026-11-21T10:00:00Z');

/** A gateway for tests that do not change its ports. */
const sharedGateway = gateway();

describe('an answer', () => {
  test('of the health endpoint contains the version, and is 503 while the database is unreachable', async () => {
    const healthy = await sharedGateway.ask('GET', '/health');
    expect([healthy.statusCode, healthy.json()]).toEqual([
      200,
      { status: 'ok', db: 'connected', version: '0.0.0-test' },
    ]);
    const unhealthy = await gateway({ ready: 'The database does not answer.' }).ask('GET', '/health');
    expect([unhealthy.statusCode, unhealthy.json()]).toEqual([
      503,
      { status: 'error', db: 'disconnected', version: '0.0.0-test', error: 'The database does not answer.' },
    ]);
  });

  test.each(['application/json', 'application/x-www-form-urlencoded', 'text/xml', ''])(
    'accepts a webhook with any content type: %s',
    async (type) => {
      const { app } = sharedGateway;
      const headers = type === '' ? {} : { 'content-type': type };
      const answer = await app.inject({
        method: 'POST',
        url: `/webhooks/${WEBHOOK_TOKEN}`,
        payload: type === '' ? '' : '{"broken',
        headers,
      });
      expect([answer.statusCode, answer.json()]).toEqual([202, { data: { accepted: true } }]);
    },
  );

  test('to a trigger contains the build', async () => {
    const answer = await sharedGateway.ask('POST', `${APP}/jobs/unit/trigger`, 'write@main');
    expect(answer.headers['location']).toBe(`${APP}/jobs/unit/builds/8`);
    expect(answer.json()).toEqual({ data: { job: 'unit', number: '8', url: `${APP}/jobs/unit/builds/8` } });
  });

  test('to a trigger with checks contains the result of each check', async () => {
    const { ask, ports } = gateway();
    const answer = await ask('POST', `${APP}/jobs/unit/trigger?check=true`, 'write@main');
    expect(ports.calls).toEqual(['trigger main/app/unit by write-of-main after checks']);
    expect(answer.json()).toMatchObject({
      data: {
        checks: [
          { resource: 'git.app', result: 'checked' },
          {
            resource: 'git.docs',
            result: 'failed',
            message: 'The check of git.docs failed: no such host',
          },
        ],
      },
    });
  });

  test('to a trigger is a refusal if too many wait for checks', async () => {
    const { ask, ports } = gateway();
    const { promise: released, resolve } = Promise.withResolvers<undefined>();
    ports.builds.withRequestAfterChecks = async () => await released;
    const trigger = async () => await ask('POST', `${APP}/jobs/unit/trigger?check=true`, 'write@main');
    const waiting = Array.from({ length: MAX_WAITING_TRIGGERS_PER_ACCOUNT }, trigger);
    const answer = await trigger();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '5']);
    resolve(undefined);
    const answered = await Promise.all(waiting);
    expect(answered.filter(({ statusCode }) => statusCode !== 404)).toEqual([]);
  });

  test('with builds is paged', async () => {
    const { ask, ports } = gateway();
    const answer = await ask('GET', `${APP}/jobs/unit/builds?status=failed&limit=2&before=9`, 'read@main');
    expect(ports.calls).toEqual(['builds {"status":"failed","limit":2,"before":9}']);
    expect(answer.json()).toEqual({
      data: [
        {
          id: 9,
          number: '7',
          status: 'succeeded',
          attempt: 1,
          created_at: '2026-11-21T10:00:00.000Z',
          started_at: '2026-11-21T10:00:00.000Z',
          ended_at: '2026-11-21T10:00:02.500Z',
          duration: 2_500_000_000,
        },
      ],
      has_more: true,
    });
  });

  test('with a build contains its inputs and steps', async () => {
    expect((await sharedGateway.ask('GET', BUILD, 'read@main')).json()).toMatchObject({
      data: {
        number: '7',
        inputs: [{ name: 'app', resource: 'git.app', version_id: 11, version: { ref: 'abc' } }],
        steps: [{ id: '0', kind: 'task', name: 'test', status: 'succeeded', exit_code: 0 }],
      },
    });
  });

  test('with the path of a version contains every job on it, with null for a job without a build of it', async () => {
    const url = `${APP}/resources/git.app/versions`;
    expect((await sharedGateway.ask('GET', `${url}/11/path`, 'read@main')).json()).toEqual({
      data: {
        resource: { canonical: 'git.app', version_id: 11, version: { ref: 'abc' } },
        path: [
          {
            job_name: 'unit',
            build: {
              id: 9,
              build_number: '7',
              status: 'succeeded',
              started_at: '2026-11-21T10:00:00.000Z',
              ended_at: '2026-11-21T10:00:02.500Z',
              duration: 2_500_000_000,
            },
            retries: [],
          },
          { job_name: 'publish', build: null, retries: [] },
        ],
      },
    });
    const unknown = await sharedGateway.ask('GET', `${url}/12/path`, 'read@main');
    expect([unknown.statusCode, unknown.json()]).toMatchObject([
      404,
      { detail: 'Version 12 of resource git.app of pipeline app in team main does not exist.' },
    ]);
  });

  test('with waiting work contains codes and sentences', async () => {
    const reasons = [{ code: 'NothingPassed', message: 'Nothing passed unit.' }];
    expect((await sharedGateway.ask('GET', `${APP}/waiting`, 'read@main')).json()).toEqual({
      data: { jobs: [{ name: 'publish', reasons }], builds: [] },
    });
    expect((await sharedGateway.ask('GET', `${APP}/jobs/nobody/waiting`, 'read@main')).statusCode).toBe(404);
  });

  test('with the last check contains its output', async () => {
    expect((await sharedGateway.ask('GET', `${APP}/resources/git.app/check`, 'read@main')).json()).toEqual({
      data: {
        running: false,
        failures: 1,
        stalled: false,
        webhook_works: false,
        output: 'tried\n',
        error: 'No.',
        last_checked_at: '2026-11-21T10:00:00.000Z',
        hooks: {
          first_version: 11,
          last_version: 11,
          ended_at: '2026-11-21T10:00:00.000Z',
          error: 'One failed.',
          results: [{ version_id: 11, job: 'unit', hook: 'shell', error: 'exit code 3.', output: 'told\n' }],
        },
      },
    });
  });

  test('with the changes since the last good build lists the new versions of each input', async () => {
    const { ask } = sharedGateway;
    const changes = await ask('GET', `${BUILD}/changes`, 'read@main');
    expect(changes.json()).toEqual({
      data: {
        since: '6',
        inputs: [
          {
            name: 'app',
            resource: 'git.app',
            change: 'newer',
            versions: [
              {
                version_id: 11,
                version: { ref: 'abc' },
                disabled: false,
                found_at: '2026-11-21T10:00:00.000Z',
              },
            ],
            has_more: false,
          },
        ],
      },
    });
    expect((await ask('GET', `${BUILD.replace(/7$/, '8')}/changes`, 'read@main')).statusCode).toBe(404);
  });

  test('with a log is plain text as a whole, or chunks with a position to resume from', async () => {
    const { ask } = sharedGateway;
    const asText = await ask('GET', `${BUILD}/logs`, 'read@main');
    expect([asText.headers['content-type'], asText.body]).toEqual([
      'text/plain; charset=utf-8',
      'one\ntwo\nthree\n',
    ]);
    const chunks = await ask('GET', `${BUILD}/logs?after=1`, 'read@main', { accept: 'application/json' });
    expect(chunks.json()).toEqual({
      data: [
        { attempt: 1, sequence: 2, step: '0', text: 'two\n', at: '2026-11-21T10:00:00.000Z' },
        { attempt: 1, sequence: 3, step: '0', text: 'three\n', at: '2026-11-21T10:00:00.000Z' },
      ],
      has_more: false,
      complete: true,
    });
  });

  test('with a log contains all attempts and separates them by a line with the reason', async () => {
    const { ports, ask } = gateway();
    ports.views.logs = async () => ({
      chunks: [
        { attempt: 1, sequence: 4, step: '0', text: 'first\n', at: AT },
        { attempt: 2, sequence: 1_000_000_004, step: '0', text: 'second\n', at: AT },
      ],
      retried: [{ attempt: 1, reason: 'PodLost: The Pod\nis gone.' }],
      hasMore: false,
      complete: true,
    });
    const { body } = await ask('GET', `${BUILD}/logs`, 'read@main');
    expect(body).toBe('first\n\n--- attempt 2: PodLost: The Pod is gone. ---\nsecond\n');
  });

  test('with a long log may take longer than others', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    try {
      const { ports, ask } = gateway();
      const { promise: released, resolve } = Promise.withResolvers<void>();
      const { promise: secondRequested, resolve: markSecondRequested } = Promise.withResolvers<void>();
      const quick = inMemoryPorts();
      ports.views.logs = async (ref, after) => {
        if (after > 0) {
          markSecondRequested();
          await released;
        }
        return await quick.views.logs(ref, after);
      };
      const answer = ask('GET', `${BUILD}/logs`, 'read@main');
      await secondRequested;
      await jest.advanceTimersByTimeAsync(60_000);
      resolve();
      expect((await answer).body).toBe('one\ntwo\nthree\n');
    } finally {
      jest.useRealTimers();
    }
  });

  test.each([
    ['read', undefined],
    ['write', undefined],
    ['maintain', 'derived-for-5-1'],
    ['admin', 'derived-for-5-1'],
  ])('shows a member with the role %s the webhook token: %s', async (role, token) => {
    const { ask } = sharedGateway;
    const single = await ask('GET', `${APP}/resources/git.app`, `${role}@main`);
    const list = await ask('GET', `${APP}/resources`, `${role}@main`);
    expect(single.json()).toMatchObject({
      data: { name: 'git.app', check_interval: '@every 30s', versions: 2 },
    });
    expect(single.json<{ data: { webhook_token?: string } }>().data.webhook_token).toBe(token);
    expect(list.json<{ data: { webhook_token?: string }[] }>().data[0]?.webhook_token).toBe(token);
  });

  test('is 304 if the client has the content', async () => {
    const { ask } = sharedGateway;
    const first = await ask('GET', APP, 'read@main');
    const tag = String(first.headers['etag']);
    const second = await ask('GET', APP, 'read@main', { 'if-none-match': tag });
    expect([second.statusCode, second.body]).toEqual([304, '']);
    const other = await ask('GET', APP, 'read@main', { 'if-none-match': '"other"' });
    expect(other.statusCode).toBe(200);
  });

  test('has headers that prevent browsers from executing it', async () => {
    const shared = 'Accept, Authorization, Cookie';
    for (const [url, vary] of [
      ['/health', 'Accept'],
      ['/absent', 'Accept'],
      [APP, shared],
    ] as const) {
      const { headers } = await sharedGateway.ask('GET', url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        vary,
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    }
  });
});

describe('the request log', () => {
  test('warns once of a proxy that forwards requests and is not trusted', async () => {
    const { ask, lines } = gateway();
    for (const _ of [1, 2]) await ask('GET', '/health', undefined, { 'x-forwarded-for': '203.0.113.7' });
    const warnings = lines.filter((line) => line.includes('Set signIn.trustedProxies'));
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ peer: '127.0.0.1' }]);
  });

  test('contains each answer by its route, never by path, query or credential', async () => {
    const { ask, lines } = gateway();
    await ask('POST', `/webhooks/${WEBHOOK_TOKEN}`);
    await ask('POST', '/webhooks/mistyped-secret');
    await ask('POST', `/webhook/${WEBHOOK_TOKEN}`);
    await ask('GET', `${APP}/resources?token=query-secret`, 'maintain@main');
    const text = lines.join('');
    for (const secret of [WEBHOOK_TOKEN, 'mistyped-secret', 'query-secret', 'maintain@main', 'derived-for']) {
      expect(text).not.toContain(secret);
    }
    const routes = lines.map((line): unknown => JSON.parse(line).route);
    expect(routes).toEqual([
      '/webhooks/:token',
      '/webhooks/:token',
      'none',
      '/teams/:team/pipelines/:pipeline/resources',
    ]);
  });
});

describe('the description of the API', () => {
  test('contains every route with its access rule, and no other', async () => {
    const { ask, routes } = sharedGateway;
    const answer = await ask('GET', '/openapi.json');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const document = answer.json<{
      openapi: string;
      paths: Record<string, Record<string, { description: string; security: object[]; responses: object }>>;
    }>();
    expect(document.openapi).toBe('3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        operation,
      })),
    );
    const registered = routes.map(({ method, url }) => `${method} ${url}`);
    expect(described.map(({ name }) => name).toSorted()).toEqual(registered.toSorted());
    for (const { name, operation } of described) {
      const rules = routes.find(({ method, url }) => name === `${method} ${url}`)?.rules;
      expect(operation.description).toContain(rules?.about);
      const schemeCounts = { nothing: 0, public: 3 };
      expect(operation.security).toHaveLength(
        new Map(Object.entries(schemeCounts)).get(rules?.needs ?? '') ?? 2,
      );
      expect(operation.responses).toHaveProperty('default.content.application/problem+json');
    }
  });

  test('contains the parameters and answers', async () => {
    const { ask } = sharedGateway;
    const { paths } = (await ask('GET', '/openapi.json')).json();
    const { parameters, responses } = paths[`/teams/{team}/pipelines/{pipeline}/jobs/{job}/builds`].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['team', 'pipeline', 'job', 'limit', 'before', 'after', 'status']),
    );
    const [members, nonMembers, ...others] = responses['200'].content['application/json'].schema.anyOf;
    expect([members.title, nonMembers.title, others]).toEqual(['To members', 'To the public', []]);
    for (const { required } of [members, nonMembers]) expect(required).toEqual(['data', 'has_more']);
    expect(fieldsOf(members)).toEqual(expect.arrayContaining(['number', 'message', 'cancelled_by']));
    expect(fieldsOf(nonMembers)).toEqual([
      'id',
      'number',
      'status',
      'created_at',
      'started_at',
      'ended_at',
      'duration',
    ]);
  });
});

function fieldsOf({ properties }: { properties: { data: { items: { properties: object } } } }): string[] {
  return Object.keys(properties.data.items.properties);
}

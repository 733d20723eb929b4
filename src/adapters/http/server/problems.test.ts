import { describe, expect, test } from '@jest/globals';
import { WEBHOOK_TOKEN } from '#testing/http/in-memory-ports.ts';
import { APP, BUILD, gateway } from '#testing/http/server-under-test.ts';

function without(document: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([key]) => !names.includes(key)));
}

const PROBLEMS: Record<string, { method?: 'GET' | 'POST'; url: string; as?: string; problem: object }> = {
  'a missing token': {
    url: '/teams/main/pipelines',
    problem: {
      type: 'https://millrace.dev/problems/unauthenticated',
      title: 'A valid token is needed',
      status: 401,
      detail: 'Sign in, or send a token: Authorization: Bearer <token>.',
    },
  },
  'an insufficient role': {
    method: 'POST',
    url: `${APP}/jobs/unit/trigger`,
    as: 'read@main',
    problem: {
      type: 'https://millrace.dev/problems/forbidden',
      title: 'Your role does not allow this',
      status: 403,
      detail: 'This needs the role write in team main. Ask an admin of the team for it.',
      needs: 'write',
      team: 'main',
    },
  },
  'an object that does not exist': {
    url: `${APP}/jobs/absent`,
    as: 'read@main',
    problem: {
      type: 'https://millrace.dev/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'Job absent of pipeline app in team main does not exist.',
    },
  },
  'a path that does not exist': {
    url: '/teams',
    problem: {
      type: 'https://millrace.dev/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'No such path. /openapi lists the paths of this server.',
    },
  },
  'a job that cannot run': {
    method: 'POST',
    url: `${APP}/jobs/publish/trigger`,
    as: 'write@main',
    problem: {
      type: 'https://millrace.dev/problems/job-cannot-run',
      title: 'The job cannot run now',
      status: 409,
      detail: 'Job publish cannot run now: No version of git.app has passed unit yet.',
      reasons: [{ code: 'NothingPassed', message: 'No version of git.app has passed unit yet.' }],
    },
  },
  'a query parameter out of range': {
    url: `${APP}/jobs/unit/builds?limit=5000`,
    as: 'read@main',
    problem: {
      type: 'https://millrace.dev/problems/invalid-request',
      title: 'The request is invalid',
      status: 400,
      detail: 'querystring/limit must be <= 100',
    },
  },
  'a path with a broken escape': {
    url: '/teams/%ff',
    problem: {
      type: 'https://millrace.dev/problems/invalid-request',
      title: 'The request is invalid',
      status: 400,
      detail: 'The path has a % that begins no valid escape. Write it as %25.',
    },
  },
  'an unknown webhook token': {
    method: 'POST',
    url: '/webhooks/none',
    problem: {
      type: 'https://millrace.dev/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'A resource with this webhook token does not exist.',
    },
  },
};

/** A gateway for tests that do not change its ports. */
const sharedGateway = gateway();

describe('a failure is a problem document for', () => {
  test.each(Object.entries(PROBLEMS))('%s', async (_name, { method = 'GET', url, as, problem }) => {
    const answer = await sharedGateway.ask(method, url, as);
    const document: Record<string, unknown> = answer.json();
    expect(without(document, 'instance')).toEqual(problem);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(document['instance']).toMatch(/^urn:request:[0-9a-f-]{36}$/);
  });

  test('an internal error reveals nothing in its answer and is logged in full', async () => {
    const { ports, ask, lines } = gateway();
    ports.views.pipelines = async () => {
      throw new Error('connection to db.internal refused');
    };
    const answer = await ask('GET', '/teams/main/pipelines', 'read@main');
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('db.internal');
    const { detail, instance }: { detail: string; instance: string } = answer.json();
    expect(detail).toMatch(new RegExp(`the request id ${instance.replace('urn:request:', '')}\\.$`));
    expect(lines.join('')).toContain('connection to db.internal refused');
  });

  const databaseErrors: Record<string, Error> = {
    'a refused connection': Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
    'an error with such a cause': new Error('query failed', {
      cause: Object.assign(new Error('no'), { code: '57P03' }),
    }),
  };
  test.each(Object.entries(databaseErrors))(
    'an unavailable database gets 503 with a Retry-After header: %s',
    async (_name, error) => {
      const { ports, ask } = gateway();
      ports.views.pipelines = async () => {
        throw error;
      };
      const answer = await ask('GET', '/teams/main/pipelines', 'read@main');
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    },
  );

  const refusedBodies: Record<
    string,
    { url?: string; type?: string; payload: string; is: [number, string] }
  > = {
    'that is too large': {
      url: `/webhooks/${WEBHOOK_TOKEN}`,
      type: 'text/plain',
      payload: 'x'.repeat(1024 * 1024 + 1),
      is: [413, 'The body is larger than the 1048576 bytes that this path takes. Send less.'],
    },
    'that is too large for its fields': {
      payload: JSON.stringify({ message: 'x'.repeat(9000) }),
      is: [413, 'The body is larger than the 8192 bytes that this path takes. Send less.'],
    },
    'of another type': {
      type: 'application/xml',
      payload: '<message/>',
      is: [415, 'This path takes only JSON. Send it with the header Content-Type: application/json.'],
    },
    'that is empty': {
      payload: '',
      is: [400, 'The body is empty, but its Content-Type is JSON. Send a JSON object, or no Content-Type.'],
    },
    'that is not JSON': {
      payload: '{"message": no}',
      is: [400, 'The body is not valid JSON. Check its quotes, commas and brackets.'],
    },
  };
  test.each(Object.entries(refusedBodies))(
    'a body %s is refused, and the answer says what to send',
    async (_name, { url = `${BUILD}/reject`, type = 'application/json', payload, is }) => {
      const headers = { authorization: 'Bearer admin@main', 'content-type': type };
      const answer = await sharedGateway.app.inject({ method: 'POST', url, payload, headers });
      expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual(is);
    },
  );
});

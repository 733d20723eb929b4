import { describe, expect, test } from '@jest/globals';
import { isRole, ROLES } from '#domain/access/roles.ts';
import { APP, bodyOf, gateway, pathOf } from '#testing/http/server-under-test.ts';

describe('route access', () => {
  const { routes, ask } = gateway();

  test('covers only registered routes', async () => {
    const { app } = gateway();
    await app.ready();
    expect(routes.filter(({ method, url }) => !app.hasRoute({ method, url }))).toEqual([]);
  });

  const guarded = routes.filter(({ rules }) => isRole(rules.needs));
  const callers = [
    { who: 'nobody', token: undefined, role: undefined },
    { who: 'a wrong token', token: 'nonsense', role: undefined },
    ...ROLES.flatMap((role) => [
      { who: `${role} of main`, token: `${role}@main`, role },
      { who: `${role} of another team`, token: `${role}@other`, role: undefined },
      { who: `${role} of a team whose name is a path`, token: `${role}@main/pipelines/app`, role: undefined },
    ]),
    { who: 'a global admin', token: 'root', role: 'admin' as const },
  ];
  const cases = guarded.flatMap((route) => callers.map((caller) => ({ route, caller })));

  test.each(cases)(
    "requires the route's role in the team of its path: $route.method $route.url as $caller.who",
    async ({ route, caller }) => {
      const url = pathOf(route);
      const { statusCode } = await ask(route.method, url, caller.token, bodyOf(route));
      const needed = ROLES.findIndex((role) => role === route.rules.needs);
      if (caller.token === undefined || caller.token === 'nonsense') expect(statusCode).toBe(401);
      else if (caller.role === undefined || ROLES.indexOf(caller.role) < needed) expect(statusCode).toBe(403);
      // A stream would not end here, so the server of this test has room for none.
      else if (/\/(events|output)$/.test(url)) expect(statusCode).toBe(503);
      else expect([200, 201, 202, 204]).toContain(statusCode);
    },
  );

  const forPeople = routes.filter(({ rules }) => rules.needs === 'user');
  test.each(forPeople.flatMap((route) => callers.map((caller) => ({ route, caller }))))(
    'for people is closed to tokens of the installation: $route.method $route.url as $caller.who',
    async ({ route, caller }) => {
      const { statusCode } = await ask(route.method, pathOf(route), caller.token, bodyOf(route));
      expect(statusCode).toBe(caller.token === undefined || caller.token === 'nonsense' ? 401 : 403);
    },
  );

  test.each([
    ['', 503],
    ['?team=main', 503],
    ['?team=other', 403],
    ['?team=main/pipelines/app', 400],
  ])('to the stream of overviews%s depends on the teams of the person', async (query, status) => {
    // The server of this test has room for no stream.
    expect((await ask('GET', `/overview/events${query}`, 'ann')).statusCode).toBe(status);
  });

  test('is declared for all routes by role, for people, for the public or for everyone', () => {
    const others = routes.filter(
      ({ rules: { needs } }) => !isRole(needs) && !['user', 'public', 'nothing'].includes(needs),
    );
    expect(others).toEqual([]);
  });

  const publicRoutes = routes.filter(({ rules }) => rules.needs === 'public');
  test.each(publicRoutes.flatMap((route) => callers.map((caller) => ({ route, caller }))))(
    'to a private pipeline looks like one to an absent pipeline: $route.url as $caller.who',
    async ({ route, caller }) => {
      const [hidden, absent] = [
        await ask('GET', pathOf(route), caller.token),
        await ask('GET', pathOf(route, 'xyz'), caller.token),
      ];
      // A stream would not end here, so the server of this test has room for none.
      const expectedStatus = route.url.endsWith('/events') ? 503 : 200;
      if (caller.token === 'nonsense') expect(hidden.statusCode).toBe(401);
      else expect(hidden.statusCode).toBe(caller.role === undefined ? 404 : expectedStatus);
      if (caller.role !== undefined) return;
      const partsOf = (answer: typeof hidden) => [
        answer.statusCode,
        without(answer.json(), 'instance'),
        without(answer.headers, 'x-request-id', 'date'),
      ];
      expect(JSON.stringify(partsOf(hidden)).replace('pipeline app ', 'pipeline xyz ')).toEqual(
        JSON.stringify(partsOf(absent)),
      );
    },
  );

  test('is denied to non-members without a hint at what exists', async () => {
    for (const token of [undefined, 'read@other']) {
      const existing = await ask('GET', `${APP}/waiting`, token);
      const absent = await ask('GET', '/teams/main/pipelines/absent/waiting', token);
      expect(without(existing.json(), 'instance')).toEqual(without(absent.json(), 'instance'));
    }
  });

  test('cannot be moved to another team by the body or the query', async () => {
    const { app, ports } = gateway();
    const call = {
      method: 'POST',
      url: `${APP}/jobs/unit/trigger?team=other`,
      headers: { authorization: 'Bearer write@main' },
    } as const;
    const payload = { team: 'other', pipeline: 'other', job: 'other', user: 'root' };
    expect((await app.inject({ ...call, payload })).statusCode).toBe(400);
    expect(ports.calls).toEqual([]);
    expect((await app.inject(call)).statusCode).toBe(201);
    expect(ports.calls).toEqual(['trigger main/app/unit by write-of-main']);
  });

  test('must be declared for every route', () => {
    const { app } = gateway();
    expect(() => app.get('/open', () => 'all')).toThrow('route GET /open does not say who may call it');
  });
});

function without(document: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([key]) => !names.includes(key)));
}

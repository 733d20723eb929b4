import { Type } from 'typebox';
import { route } from '#adapters/http/access/route.ts';
import type { Route } from '#adapters/http/access/route.ts';
import { Problem } from '#adapters/http/problem.ts';
import { answer } from '#adapters/http/routes/schemas.ts';
import { assetRoutes } from './assets.ts';
import { openApiPage } from './open-api-page.ts';

/** What programs get at the paths that are there for browsers. */
export function pageOnlyRoutes(version: string): Route[] {
  return [
    route({
      method: 'GET',
      url: '/',
      schema: { response: answer({ name: Type.String(), version: Type.String(), api: Type.String() }) },
      handler: async () => ({ data: { name: 'Millrace', version, api: '/openapi.json' } }),
    }),
    ...assetRoutes(),
    ...openApiPage(),
  ];
}

/** Pages of people: programs sign in and change passwords at the same paths with other methods. */
export function personalPageOnlyRoutes(): Route[] {
  return (['/auth/login', '/profile/password'] as const).map((url) =>
    route({
      method: 'GET',
      url,
      schema: {},
      handler: async () => {
        throw new Problem('not-found', 'This is a page for browsers: ask with Accept: text/html.');
      },
    }),
  );
}

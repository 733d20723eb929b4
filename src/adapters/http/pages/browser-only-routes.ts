import { Type } from 'typebox';
import { answer, TeamParams } from '#adapters/http/api/schemas.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { assetRoutes } from './assets.ts';
import { openApiPage } from './open-api-page.ts';

/** The routes at paths that are mainly for browsers: the API as a page, the root, and the assets of pages. */
export function pageOnlyRoutes(version: string): Route[] {
  return [
    ...openApiPage(),
    route({
      method: 'GET',
      url: '/',
      needs: 'nothing',
      about: 'Name and version of this server. Browsers are redirected to the teams.',
      schema: { response: answer({ name: Type.String(), version: Type.String(), api: Type.String() }) },
      handler: async () => ({ data: { name: 'Millrace', version, api: '/openapi.json' } }),
    }),
    ...assetRoutes(),
  ];
}

/**
 * The routes that answer programs with 404 at paths where GET is only for browsers. A page takes its access
 * rules from the route at its path, so these pages need the routes.
 */
export function personalPageOnlyRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      url: '/auth/login',
      needs: 'nothing',
      about: 'The sign-in page; only for browsers.',
      schema: {},
      handler: refusePrograms,
    }),
    route({
      method: 'GET',
      url: '/profile/password',
      needs: 'session',
      beforePasswordChange: true,
      about: 'The page to change your password; only for browsers.',
      schema: {},
      handler: refusePrograms,
    }),
    route({
      method: 'GET',
      url: '/admin',
      needs: 'global-admin',
      about: 'The first page for global admins; only for browsers.',
      schema: {},
      handler: refusePrograms,
    }),
    route({
      method: 'GET',
      url: '/teams/:team/new-pipeline',
      needs: 'maintain',
      about: 'The page to create a pipeline; only for browsers.',
      schema: { params: TeamParams },
      handler: refusePrograms,
    }),
    route({
      method: 'GET',
      url: '/profile/cli-login',
      needs: 'session',
      about: 'The page to confirm a login of the command line; only for browsers.',
      schema: {},
      handler: refusePrograms,
    }),
  ];
}

async function refusePrograms(): Promise<never> {
  throw new Problem('not-found', 'This is a page for browsers. Request it with Accept: text/html.');
}

import formbody from '@fastify/formbody';
import type { AccessPorts } from '#adapters/http/access/ports.ts';
import type { App, Route } from '#adapters/http/access/route.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import { actionForms } from './action-forms.ts';
import { buildPage } from './build-page.ts';
import { listPages } from './job-page.ts';
import type { PageRoute } from './page.ts';
import { pipelinePage } from './pipeline-page.ts';
import { profilePages } from './profile-pages.ts';
import { signInPages } from './sign-in-pages.ts';
import { teamPages } from './team-pages.ts';

/** What browsers get and send at the paths of the API. */
export function pages(api: PublicApi, ports: AccessPorts): PageRoute[] {
  const all = [
    ...signInPages(ports),
    ...profilePages(ports),
    ...teamPages(api, ports),
    pipelinePage(api, ports),
    ...listPages(api, ports),
    buildPage(api, ports),
    ...actionForms(ports),
  ];
  return [
    {
      register(app: App, routes: readonly Route[]) {
        void app.register(async (scope: App) => {
          await scope.register(formbody, { bodyLimit: 16 * 1024 });
          for (const one of all) one.register(scope, routes);
        });
      },
    },
  ];
}

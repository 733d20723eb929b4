import formbody from '@fastify/formbody';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { namedPlugin } from '#adapters/http/server/named-plugin.ts';
import type { App, PageRoute, Route } from '#adapters/http/server/route.ts';
import type { ServerPages } from '#adapters/http/server/server-parts.ts';
import { actionForms } from './action-forms.ts';
import { auditPages } from './audit-pages.ts';
import { buildPage } from './build-page.ts';
import { cachesPage } from './caches-page.ts';
import { cliLoginPages } from './cli-login-pages.ts';
import { editorPages } from './editor-pages.ts';
import { jobPages } from './job-page.ts';
import { pipelinePage } from './pipeline-page.ts';
import { profilePages } from './profile-pages.ts';
import { providerPages } from './provider-pages.ts';
import { resourcePage } from './resource-page.ts';
import { secretsPages } from './secrets-pages.ts';
import { sendProblemPage } from './send-problem-page.ts';
import { signInPages } from './sign-in-pages.ts';
import { teamAdminPages } from './team-admin-pages.ts';
import { teamMembersPages } from './team-members-page.ts';
import { teamPages } from './team-pages.ts';
import { teamSettingsPages } from './team-settings-page.ts';
import { triggerPages } from './trigger-pages.ts';
import { triggerVersionForm } from './trigger-version.ts';
import { userPages } from './user-pages.ts';
import { versionPathPage } from './version-path-page.ts';

/** Creates the pages, which have the paths of API routes, and the forms, which call API routes. */
export function createPages(ports: PipelinePorts, access: AccessPorts): ServerPages {
  const pageRoutes: PageRoute[] = [
    ...signInPages(access),
    ...profilePages(access),
    ...cliLoginPages(access),
    ...teamPages(ports, access),
    pipelinePage(ports, access),
    ...jobPages(ports, access),
    resourcePage(ports, access),
    versionPathPage(ports, access),
    triggerVersionForm(access),
    cachesPage(access),
    ...triggerPages(ports, access),
    buildPage(ports, access),
    ...editorPages(access),
    ...actionForms(access),
    ...teamSettingsPages(access),
    ...teamMembersPages(access),
    ...secretsPages(ports, access),
    ...auditPages(access),
    ...userPages(access),
    ...providerPages(access),
    ...teamAdminPages(access),
  ];
  return {
    register(app: App, routes: readonly Route[]) {
      const registerPages = async (scope: App): Promise<void> => {
        await scope.register(formbody, { bodyLimit: 16 * 1024 });
        for (const pageRoute of pageRoutes) pageRoute.register(scope, routes);
      };
      void app.register(namedPlugin('pages', registerPages));
    },
    sendProblem: (request, reply, problem) =>
      sendProblemPage(request, reply, { problem, browser: access.browser }),
  };
}

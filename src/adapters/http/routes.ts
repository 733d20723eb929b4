import type { Readiness } from '#adapters/telemetry/metrics-server.ts';
import type { AccessPorts } from './api/access-ports.ts';
import { tokenRoutes } from './api/api-tokens.ts';
import { auditRoutes } from './api/audit.ts';
import { badgeRoutes } from './api/badges.ts';
import { buildActionRoutes } from './api/build-actions.ts';
import { buildChangesRoute } from './api/build-changes.ts';
import { buildRoutes } from './api/builds.ts';
import { cacheRoutes } from './api/caches.ts';
import { cliLoginRoutes } from './api/cli-logins.ts';
import { debugRoutes } from './api/debug.ts';
import { graphRoutes } from './api/graph.ts';
import { healthRoutes } from './api/health.ts';
import { identityTokenRoutes } from './api/identity-tokens.ts';
import { imageRoutes } from './api/images.ts';
import { jobRoutes } from './api/jobs.ts';
import { logRoutes } from './api/logs.ts';
import { providerRoutes } from './api/oauth-providers.ts';
import { oauthRoutes } from './api/oauth.ts';
import { pauseRoutes } from './api/pauses.ts';
import type { PipelinePorts } from './api/pipeline-ports.ts';
import { pipelineChangeRoutes, pipelineRoutes } from './api/pipelines.ts';
import { profileRoutes } from './api/profile.ts';
import { publicViewRoutes } from './api/public-view.ts';
import { renameRoutes } from './api/rename-pipeline.ts';
import { resourceRoutes } from './api/resources.ts';
import { secretRoutes } from './api/secrets.ts';
import { signInRoutes } from './api/sign-in.ts';
import { teamUseRoutes } from './api/team-use.ts';
import { teamRoutes } from './api/teams.ts';
import { triggerRoutes } from './api/triggers.ts';
import { userRoutes } from './api/users.ts';
import { pinRoutes } from './api/version-actions.ts';
import { waitingRoutes } from './api/waiting.ts';
import { webhookRoutes } from './api/webhooks.ts';
import { eventRoutes, type StreamOptions } from './live/routes.ts';
import { pageOnlyRoutes, personalPageOnlyRoutes } from './pages/browser-only-routes.ts';
import { openApiRoutes } from './server/open-api.ts';
import type { Route } from './server/route.ts';

/**
 * The routes of the server itself, and those that read pipelines, jobs, builds and resources or act on them.
 * `accessRoutes` has the routes that create, change, rename and delete pipelines.
 */
export function publicRoutes(
  ports: PipelinePorts,
  readiness: Readiness,
  version: string,
  streams?: StreamOptions,
): Route[] {
  return [
    ...healthRoutes(readiness, version),
    ...openApiRoutes(),
    ...pageOnlyRoutes(version),
    ...webhookRoutes(ports),
    ...publicViewRoutes(ports),
    ...imageRoutes(ports),
    ...graphRoutes(ports),
    ...badgeRoutes(ports),
    ...pipelineRoutes(ports),
    ...jobRoutes(ports),
    ...buildRoutes(ports),
    buildChangesRoute(ports),
    ...buildActionRoutes(ports),
    ...debugRoutes(ports),
    ...logRoutes(ports),
    ...eventRoutes(ports, streams),
    ...resourceRoutes(ports),
    ...pauseRoutes(ports),
    ...pinRoutes(ports),
    ...waitingRoutes(ports),
    ...triggerRoutes(ports),
  ];
}

/**
 * The routes of accounts, sessions, identity providers, tokens, teams, secrets, caches, the audit log and the
 * keys of identity tokens, and those that create, change, rename and delete pipelines.
 */
export function accessRoutes(ports: AccessPorts): Route[] {
  return [
    ...signInRoutes(ports),
    ...personalPageOnlyRoutes(),
    ...oauthRoutes(ports),
    ...cliLoginRoutes(ports),
    ...providerRoutes(ports),
    ...profileRoutes(ports),
    ...tokenRoutes(ports),
    ...secretRoutes(ports),
    ...cacheRoutes(ports),
    ...teamRoutes(ports),
    ...teamUseRoutes(ports),
    ...pipelineChangeRoutes(ports),
    ...renameRoutes(ports),
    ...userRoutes(ports),
    ...auditRoutes(ports),
    ...identityTokenRoutes(ports),
  ];
}

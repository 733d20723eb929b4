import type { AccessPorts } from '#adapters/http/access/ports.ts';
import type { Route } from '#adapters/http/access/route.ts';
import type { Readiness } from '#adapters/http/metrics-server.ts';
import { openApiRoutes } from '#adapters/http/open-api.ts';
import { pageOnlyRoutes, personalPageOnlyRoutes } from '#adapters/http/pages/page-only.ts';
import type { PipelinePorts } from '#adapters/http/ports.ts';
import { auditRoutes } from './access/audit.ts';
import { oauthRoutes } from './access/oauth.ts';
import { pipelineChangeRoutes, pipelineRoutes } from './access/pipelines.ts';
import { profileRoutes } from './access/profile.ts';
import { providerRoutes } from './access/providers.ts';
import { renameRoutes } from './access/rename-pipeline.ts';
import { signInRoutes } from './access/sign-in.ts';
import { teamRoutes } from './access/teams.ts';
import { tokenRoutes } from './access/tokens.ts';
import { userRoutes } from './access/users.ts';
import { badgeRoutes } from './badges.ts';
import { buildActionRoutes } from './build-actions.ts';
import { buildRoutes } from './builds.ts';
import { eventRoutes, type StreamOptions } from './events.ts';
import { healthRoutes } from './health.ts';
import { imageRoutes } from './images.ts';
import { jobRoutes } from './jobs.ts';
import { logRoutes } from './logs.ts';
import { pauseRoutes } from './pauses.ts';
import { pinRoutes } from './pins.ts';
import { publicViewRoutes } from './public-view.ts';
import { resourceRoutes } from './resources.ts';
import { waitingRoutes } from './waiting.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every route of pipelines, and of the server itself. */
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
    ...badgeRoutes(ports),
    ...pipelineRoutes(ports),
    ...jobRoutes(ports),
    ...buildRoutes(ports),
    ...buildActionRoutes(ports),
    ...logRoutes(ports),
    ...eventRoutes(ports, streams),
    ...resourceRoutes(ports),
    ...pauseRoutes(ports),
    ...pinRoutes(ports),
    ...waitingRoutes(ports),
  ];
}

/** Who people are and what they may: accounts, sessions, tokens, members, and who did what. */
export function accessRoutes(ports: AccessPorts): Route[] {
  return [
    ...signInRoutes(ports),
    ...personalPageOnlyRoutes(),
    ...oauthRoutes(ports),
    ...providerRoutes(ports),
    ...profileRoutes(ports),
    ...tokenRoutes(ports),
    ...teamRoutes(ports),
    ...pipelineChangeRoutes(ports),
    ...renameRoutes(ports),
    ...userRoutes(ports),
    ...auditRoutes(ports),
  ];
}

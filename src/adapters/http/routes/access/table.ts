import type { AccessPorts } from '#adapters/http/access/ports.ts';
import type { Route } from '#adapters/http/access/route.ts';
import { personalPageOnlyRoutes } from '#adapters/http/pages/page-only.ts';
import { auditRoutes } from './audit.ts';
import { oauthRoutes } from './oauth.ts';
import { pipelineChangeRoutes } from './pipelines.ts';
import { profileRoutes } from './profile.ts';
import { providerRoutes } from './providers.ts';
import { renameRoutes } from './rename-pipeline.ts';
import { signInRoutes } from './sign-in.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';
import { userRoutes } from './users.ts';

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

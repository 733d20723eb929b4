import { createPool } from 'slonik';
import { accessStores } from '#adapters/database/people/access-stores.ts';
import { pipelineCaches } from '#adapters/database/pipelines/cache-rows.ts';
import { identityKeyStore } from '#adapters/database/pipelines/identity-key-store.ts';
import { renameRequests } from '#adapters/database/pipelines/rename-pipeline.ts';
import { secretStore } from '#adapters/database/pipelines/secret-store.ts';
import { cachedDefinitions } from '#adapters/database/revisions/definitions.ts';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { browserRules } from '#adapters/http/auth/session-cookie.ts';
import { sessionCodec } from '#adapters/http/auth/session-token.ts';
import { accessRoutes, publicRoutes } from '#adapters/http/routes.ts';
import type { Route } from '#adapters/http/server/route.ts';
import { inMemoryPorts } from './in-memory-ports.ts';

/** Every route of the public gateway with its rules. The handlers of `accessRoutes` cannot run. */
export async function registeredRoutes(): Promise<Route[]> {
  const ports = await unusablePorts();
  return [...publicRoutes(inMemoryPorts(), async () => undefined, '0'), ...accessRoutes(ports)];
}

const refuse = (): never => {
  throw new Error('these routes are only read');
};

async function unusablePorts(): Promise<AccessPorts> {
  const driverFactory = async () => ({ createClient: refuse });
  const pool = await createPool('postgresql://127.0.0.1/none', { minPoolSize: 0, driverFactory });
  const codec = sessionCodec(Buffer.alloc(32));
  return {
    ...accessStores(
      { pool },
      {
        renames: renameRequests({ pool }),
        secrets: secretStore({ pool }),
        identityKeys: identityKeyStore({ pool }),
        caches: pipelineCaches({ pool, definitions: cachedDefinitions() }),
      },
    ),
    client: { authorizationUrl: refuse, identify: refuse },
    compiler: { compile: refuse },
    previews: { svg: refuse },
    passwords: { hash: refuse, verify: refuse, isCommon: refuse },
    localSignIn: refuse,
    random: refuse,
    randomBelow: refuse,
    digest: refuse,
    newSessionId: refuse,
    wait: refuse,
    elapsed: refuse,
    now: refuse,
    externalUrl: undefined,
    objects: undefined,
    seal: refuse,
    codec,
    browser: browserRules(undefined, codec),
    sessionSeconds: 0,
    idleSeconds: 0,
    tokenMaxSeconds: 0,
  };
}

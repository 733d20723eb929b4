import { createPool } from 'slonik';
import { accessStores } from '#adapters/database/people/access-stores.ts';
import { renameRequests } from '#adapters/database/pipelines/rename-pipeline.ts';
import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import { browserRules } from '#adapters/http/auth/session-cookie.ts';
import { sessionCodec } from '#adapters/http/auth/session-token.ts';
import { accessRoutes, publicRoutes } from '#adapters/http/routes.ts';
import type { Route } from '#adapters/http/server/route.ts';
import { inMemoryPorts } from './in-memory-ports.ts';

/** Every route of the public gateway, to read who may call it and what it does. No handler can be run. */
export async function registeredRoutes(): Promise<Route[]> {
  const ports = await portsOfNobody();
  return [...publicRoutes(inMemoryPorts(), async () => undefined, '0'), ...accessRoutes(ports)];
}

const refuse = (): never => {
  throw new Error('these routes are only read');
};

async function portsOfNobody(): Promise<AccountPorts> {
  const driverFactory = async () => ({ createClient: refuse });
  const pool = await createPool('postgresql://127.0.0.1/none', { minPoolSize: 0, driverFactory });
  const codec = sessionCodec(Buffer.alloc(32));
  return {
    ...accessStores({ pool }, renameRequests({ pool })),
    client: { authorizationUrl: refuse, identify: refuse },
    compiler: { compile: refuse },
    passwords: { hash: refuse, verify: refuse, isCommon: refuse },
    localSignIn: refuse,
    random: refuse,
    digest: refuse,
    newSessionId: refuse,
    wait: refuse,
    now: refuse,
    externalUrl: undefined,
    objects: undefined,
    codec,
    browser: browserRules(undefined, codec),
    sessionSeconds: 0,
    idleSeconds: 0,
    tokenMaxSeconds: 0,
  };
}

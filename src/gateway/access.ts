import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessStores } from '#adapters/database/people/access-stores.ts';
import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import { authorizePeople } from '#adapters/http/auth/authorize-people.ts';
import type { Authorize } from '#adapters/http/auth/authorize.ts';
import { browserRules } from '#adapters/http/auth/session-cookie.ts';
import { sessionCodec } from '#adapters/http/auth/session-token.ts';
import type { OAuthClient } from '#flows/people/oauth-ports.ts';
import type { Passwords } from '#flows/people/ports.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import type { ApiObjects } from '#flows/pipelines/object-ports.ts';

export interface AccessParts {
  stores: AccessStores;
  client: OAuthClient;
  objects: ApiObjects | undefined;
  compiler: Compiler;
  sessionKey: Buffer;
  sessionSeconds: number;
  idleSeconds: number;
  tokenMaxSeconds: number;
  externalUrl: string | undefined;
  /** Knows the tokens of the installation. */
  installation: Authorize;
  now: () => Date;
  passwords: Passwords;
}

/** What the routes of accounts stand on, and who a request comes from. */
export function openAccess(parts: AccessParts): { ports: AccountPorts; authorize: Authorize } {
  const { stores, client, installation, passwords, externalUrl, now } = parts;
  const codec = sessionCodec(parts.sessionKey);
  return {
    ports: {
      ...stores,
      client,
      objects: parts.objects,
      compiler: parts.compiler,
      wait: async (milliseconds) => await sleep(milliseconds),
      externalUrl,
      passwords,
      localSignIn: async () => await stores.oauth.local(),
      random: () => randomBytes(32).toString('base64url'),
      digest: (text) => createHash('sha256').update(text).digest('base64url'),
      codec,
      browser: browserRules(externalUrl, codec),
      sessionSeconds: parts.sessionSeconds,
      idleSeconds: parts.idleSeconds,
      tokenMaxSeconds: parts.tokenMaxSeconds,
      newSessionId: randomUUID,
      now,
    },
    authorize: authorizePeople({ ...stores, codec, installation, idleSeconds: parts.idleSeconds, now }),
  };
}

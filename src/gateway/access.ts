import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessStores } from '#adapters/database/people/access-stores.ts';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { authenticatePeople } from '#adapters/http/auth/authenticate-people.ts';
import type { Authenticate } from '#adapters/http/auth/authenticate.ts';
import { browserRules } from '#adapters/http/auth/session-cookie.ts';
import { sessionCodec } from '#adapters/http/auth/session-token.ts';
import type { OAuthClient } from '#flows/people/oauth-ports.ts';
import type { Passwords } from '#flows/people/ports.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import type { ApiObjects } from '#flows/pipelines/object-ports.ts';
import type { SetSecretPorts } from '#flows/pipelines/secret-ports.ts';

export interface AccessParts {
  stores: AccessStores;
  client: OAuthClient;
  objects: ApiObjects | undefined;
  compiler: Compiler;
  previews: AccessPorts['previews'];
  seal: SetSecretPorts['seal'];
  sessionKey: Buffer;
  sessionSeconds: number;
  idleSeconds: number;
  tokenMaxSeconds: number;
  externalUrl: string | undefined;
  /** Authenticates callers that send a token of the installation. */
  installation: Authenticate;
  now: () => Date;
  passwords: Passwords;
}

/** Creates the ports of the routes for people, and the authentication of all callers of the API. */
export function openAccess(parts: AccessParts): { ports: AccessPorts; authenticate: Authenticate } {
  const { stores, client, installation, passwords, externalUrl, now } = parts;
  const codec = sessionCodec(parts.sessionKey);
  return {
    ports: {
      ...stores,
      client,
      objects: parts.objects,
      compiler: parts.compiler,
      previews: parts.previews,
      seal: parts.seal,
      wait: async (milliseconds) => await sleep(milliseconds),
      elapsed: () => performance.now(),
      externalUrl,
      passwords,
      localSignIn: async () => await stores.oauth.local(),
      random: () => randomBytes(32).toString('base64url'),
      randomBelow: (below) => randomInt(below),
      digest: (text) => createHash('sha256').update(text).digest('base64url'),
      codec,
      browser: browserRules(externalUrl, codec),
      sessionSeconds: parts.sessionSeconds,
      idleSeconds: parts.idleSeconds,
      tokenMaxSeconds: parts.tokenMaxSeconds,
      newSessionId: randomUUID,
      now,
    },
    authenticate: authenticatePeople({ ...stores, codec, installation, idleSeconds: parts.idleSeconds, now }),
  };
}

import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { IDENTITY_CLAIMS, identityIssuer } from '#domain/build/identity-issuer.ts';
import type { PublicJwk } from '#flows/pipelines/identity-key-ports.ts';
import { publishedIdentityKeys } from '#flows/pipelines/maintain-identity-keys.ts';
import { createCache } from '#flows/views/cache.ts';
import type { AccessPorts } from './access-ports.ts';

/** Anyone may request the keys, so requests within this time share one query. */
const QUERY_EVERY_MS = 5000;
/**
 * How long verifiers may cache the keys. The key of each rotation is published a day before it signs tokens,
 * so verifiers know it in time.
 */
const CACHE_SECONDS = 900;
const KEYS_PATH = '/.well-known/jwks.json';

const Words = Type.Array(Type.String());
const Configuration = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  response_types_supported: Words,
  subject_types_supported: Words,
  id_token_signing_alg_values_supported: Words,
  claims_supported: Words,
});
const Keys = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      y: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      use: Type.String(),
    }),
  ),
});

type IdentityPorts = Pick<AccessPorts, 'identityKeys' | 'externalUrl' | 'now'>;

/**
 * The routes by which verifiers of identity tokens find the issuer and its keys (OpenID Connect Discovery
 * 1.0).
 */
export function identityTokenRoutes(ports: IdentityPorts): Route[] {
  const now = (): number => ports.now().getTime();
  const cache = createCache<PublicJwk[]>({ maxSize: 1, maxAge: { ms: QUERY_EVERY_MS, now } });
  return [
    route({
      method: 'GET',
      url: '/.well-known/openid-configuration',
      needs: 'nothing',
      about: 'The issuer of identity tokens, for clouds that builds log in to.',
      schema: { response: { 200: Configuration } },
      handler: async (_request, reply) => {
        const issuer = requireIssuer(ports);
        void reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`);
        return {
          issuer,
          jwks_uri: `${issuer}${KEYS_PATH}`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['ES256'],
          claims_supported: [...IDENTITY_CLAIMS],
        };
      },
    }),
    route({
      method: 'GET',
      url: KEYS_PATH,
      needs: 'nothing',
      about: 'The public keys that verify identity tokens.',
      schema: { response: { 200: Keys } },
      handler: async (_request, reply) => {
        requireIssuer(ports);
        const keys = await cache.get('keys', async () => await publishedIdentityKeys(ports));
        const hasKeys = keys.length > 0;
        void reply.header('cache-control', hasKeys ? `public, max-age=${CACHE_SECONDS}` : 'no-store');
        return { keys };
      },
    }),
  ];
}

function requireIssuer({ externalUrl }: IdentityPorts): string {
  const answer = identityIssuer(externalUrl);
  if ('problem' in answer) throw new Problem('not-found', answer.problem);
  return answer.issuer;
}

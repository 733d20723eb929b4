import { argon2Passwords } from '#adapters/crypto/argon2.ts';
import { guardedWebFetch } from '#adapters/fetch/guarded-web-fetch.ts';
import { createCompiler } from '#adapters/hcl/compile.ts';
import { authenticateByInstallation, type TokenSources } from '#adapters/http/auth/installation-tokens.ts';
import { openIdClient } from '#adapters/oauth/openid.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { PublicGatewayConfig } from '#config';
import { openAccess, type AccessParts } from './access.ts';
import { clientSecretReader } from './client-secrets.ts';
import { openCluster, type ClusterConnection } from './cluster-connection.ts';
import { sealerIn } from './store-secrets.ts';

/**
 * Opens what the routes for people need: the ports of accounts, and connections to identity providers and to
 * the API server.
 */
export async function openPeople(
  config: PublicGatewayConfig,
  { stores, previews }: Pick<AccessParts, 'stores' | 'previews'>,
  log: Log,
) {
  const cluster = await openCluster(config);
  await cluster
    ?.markClientSecrets()
    .catch((error: unknown) =>
      log.warn({ err: error }, 'the Secret of OAuth clients could not be marked; the next start tries again'),
    );
  const providers = guardedWebFetch({ allowedRanges: config.oauthAllowedRanges });
  // One process is enough, because the compiler reads only the texts that people write over the API.
  const compiler = createCompiler({ processes: 1 });
  const access = openAccess({
    ...config,
    client: openIdClient({
      secretOf: clientSecretReader(
        config.oauthSecretsDirectories,
        async (key) => await cluster?.clientSecret(key),
      ),
      fetch: async (url, init) => await providers.fetch(url, init),
      now: () => performance.now(),
    }),
    passwords: await argon2Passwords(),
    stores,
    objects: cluster?.objects,
    compiler,
    previews,
    seal: sealerIn(config.storeKeysDirectory),
    installation: authenticateByInstallation(tokenSources(config, cluster), (sentence) => log.warn(sentence)),
    now: () => new Date(),
  });
  return {
    access,
    async close(): Promise<void> {
      await Promise.all([providers.close(), compiler.close(), cluster?.close()]);
    },
  };
}

function tokenSources(
  { tokensFile: file, tokensSecret: secret }: PublicGatewayConfig,
  cluster: ClusterConnection | undefined,
): TokenSources {
  if (cluster === undefined || secret === undefined) return { file };
  return { file, newest: async () => await cluster.tokens(secret) };
}

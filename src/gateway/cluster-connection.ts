import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import {
  inClusterConnection,
  kubeconfigConnection,
  type Connection,
} from '#adapters/kubernetes/api/connection.ts';
import { markClientSecrets, readClientSecret } from '#adapters/kubernetes/objects/client-secrets.ts';
import { pipelineObjects } from '#adapters/kubernetes/objects/pipeline-objects.ts';
import { providerObjects } from '#adapters/kubernetes/objects/provider-objects.ts';
import { readSecretText } from '#adapters/kubernetes/objects/secret-text.ts';
import { teamObjects } from '#adapters/kubernetes/objects/team-objects.ts';
import type { ClusterConfig, PublicGatewayConfig } from '#config';
import type { ApiObjects } from '#flows/pipelines/object-ports.ts';

/** Connects to the API server as a Pod or with a kubeconfig file. */
export async function connectionOf(cluster: ClusterConfig): Promise<Connection> {
  return cluster.kind === 'in-cluster'
    ? inClusterConnection(cluster)
    : await kubeconfigConnection(cluster.file);
}

/**
 * What the public gateway does in Kubernetes. It reads and writes the objects that people change over the API
 * and the Secret with client secrets, and reads the Secret with the tokens of the installation.
 */
export interface ClusterConnection {
  objects: ApiObjects;
  /**
   * Reads the client secret of an identity provider, by its key in the Secret. Undefined: there is no such
   * key.
   */
  clientSecret(key: string): Promise<string | undefined>;
  /** Marks the Secret with the client secrets, so that Argo CD does not delete it. */
  markClientSecrets(): Promise<void>;
  /** Reads the tokens of the installation, as text, from a key of a Secret. */
  tokens(secret: { name: string; key: string }): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Undefined: the gateway has no connection to a cluster. */
export async function openCluster({
  cluster,
  namespace,
  release,
}: Pick<PublicGatewayConfig, 'cluster' | 'namespace' | 'release'>): Promise<ClusterConnection | undefined> {
  if (cluster === undefined) return undefined;
  const connection = await connectionOf(cluster);
  return {
    ...clusterConnection(connection, { namespace, release }),
    close: async () => await connection.close(),
  };
}

export function clusterConnection(
  connection: Connection,
  { namespace, release }: Pick<PublicGatewayConfig, 'namespace' | 'release'>,
): Omit<ClusterConnection, 'close'> {
  const client = new ApiClient(connection);
  const options = { client, namespace, name: `${release}-oauth-api` };
  return {
    objects: {
      providers: providerObjects(options),
      teams: teamObjects(client),
      pipelines: pipelineObjects(client),
    },
    clientSecret: async (key) => await readClientSecret(options, key),
    markClientSecrets: async () => await markClientSecrets(options),
    tokens: async ({ name, key }) => await readSecretText(client, { namespace, name }, key),
  };
}

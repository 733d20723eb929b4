import { readFileSync } from 'node:fs';
import {
  ApiException,
  CoreV1Api,
  createConfiguration,
  KubeConfig,
  Observable,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  type Configuration,
  type ConfigurationOptions,
} from '@kubernetes/client-node';
import { Agent } from 'undici';
import { NAMESPACE, PAGE, type Calls } from '#bench/comparisons/api-clients/calls.ts';
import { serve } from '#bench/comparisons/api-clients/serve.ts';

/*
 * client-node's typed client, as `makeApiClient` returns it. With the argument `pooled`, a middleware sends
 * its requests through one undici pool for each server, with the limits of Millrace's own client.
 */

const { MEASURE_PORT = '', MEASURE_FAULTY_PORT = '', MEASURE_FOLDER = '' } = process.env;
const pooled = process.argv[2] === 'pooled';
const ca = readFileSync(`${MEASURE_FOLDER}/ca.crt`);

function configOf(port: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: 'measure',
      server: `https://127.0.0.1:${port}`,
      caData: ca.toString('base64'),
      skipTLSVerify: false,
    },
    { name: 'measure', token: readFileSync(`${MEASURE_FOLDER}/token`, 'utf8') },
  );
  return config;
}

function pooledConfiguration(config: KubeConfig, port: string): Configuration {
  const dispatcher = new Agent({
    connect: { ca },
    connections: 32,
    keepAliveTimeout: 60_000,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  return createConfiguration({
    baseServer: new ServerConfiguration(`https://127.0.0.1:${port}`, {}),
    authMethods: { default: config },
    middleware: [
      {
        pre: (request) => {
          request.setDispatcher(dispatcher);
          return new Observable(Promise.resolve(request));
        },
        post: (response) => new Observable(Promise.resolve(response)),
      },
    ],
  });
}

const applyOptions: ConfigurationOptions = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);

function callsTo(port: string): Calls {
  const config = configOf(port);
  const api = pooled ? new CoreV1Api(pooledConfiguration(config, port)) : config.makeApiClient(CoreV1Api);
  const inNamespace = { namespace: NAMESPACE };
  return {
    get: (name) => api.readNamespacedConfigMap({ ...inNamespace, name }),
    list: async (namespace) => {
      let count = 0;
      let continueToken: string | undefined;
      do {
        const page = await api.listNamespacedConfigMap({
          namespace,
          limit: PAGE,
          ...(continueToken === undefined ? {} : { _continue: continueToken }),
        });
        count += page.items.length;
        continueToken = page.metadata?.['_continue'];
      } while (continueToken !== undefined && continueToken !== '');
      return count;
    },
    apply: (name, text) => {
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, ...inNamespace },
        data: { text },
      };
      return api.patchNamespacedConfigMap(
        { ...inNamespace, name, body, fieldManager: 'millrace', force: true },
        applyOptions,
      );
    },
    replaceStale: (name) =>
      api.replaceNamespacedConfigMap({
        ...inNamespace,
        name,
        body: { metadata: { name, ...inNamespace, resourceVersion: '1' } },
      }),
  };
}

function describe(error: unknown): string {
  if (error instanceof ApiException) {
    const { code, body, headers } = error;
    const bodyType = typeof body === 'string' ? 'text' : 'object';
    return JSON.stringify({
      code,
      body: bodyType,
      retryAfter: headers['retry-after'],
      first: error.message.slice(0, 120),
    });
  }
  if (!Error.isError(error)) return `threw ${String(error)}`;
  const cause = Error.isError(error.cause) ? `, cause ${error.cause.name}: ${error.cause.message}` : '';
  return `threw ${error.name}: ${error.message}${cause}`;
}

await serve({ real: callsTo(MEASURE_PORT), faulty: callsTo(MEASURE_FAULTY_PORT), describe });

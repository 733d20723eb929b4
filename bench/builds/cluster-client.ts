import { Agent, request as httpsRequest } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { writesIn, type ApiWrites } from '#bench/api-writes.ts';

/*
 * A bare HTTPS client for measurements, without caches. Calls reuse idle connections, and each watch has a
 * connection of its own.
 */
const config = new KubeConfig();
config.loadFromDefault();
const agent = new Agent({ keepAlive: true });

const tlsOptions = async (): Promise<object> => {
  const options = {};
  await config.applyToHTTPSOptions(options);
  return { ...options, agent };
};

const server = (): string => {
  const current = config.getCurrentCluster();
  if (current === null) throw new Error('KUBECONFIG names no cluster.');
  return current.server;
};

/**
 * Returns the body of the response. If the status is 300 or more, rejects with an error that contains the
 * body.
 */
export const call = async (method: string, path: string, body?: object): Promise<string> => {
  const options = await tlsOptions();
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`${server()}${path}`, { ...options, method }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        (response.statusCode ?? 500) < 300 ? resolve(text) : reject(new Error(`${method} ${path}: ${text}`)),
      );
    });
    request.on('error', reject);
    const text = body === undefined ? '' : JSON.stringify(body);
    request.setHeader('content-type', 'application/json');
    // Without this header, a DELETE has no length, and the server reads its body as the next request.
    request.setHeader('content-length', Buffer.byteLength(text));
    request.end(text);
  });
};

export interface PodEvent {
  /** When the event arrived, a time of `performance.now()`. */
  at: number;
  type: string;
  name: string;
  labels: Record<string, string>;
  phase: string;
}

/**
 * Calls `onEvent` for every Pod event in the namespace, with the time when the end of its line arrived. The
 * watch begins with an `ADDED` event for each existing Pod. Returns a function that stops the watch.
 */
export const watchPods = async (
  namespace: string,
  onEvent: (event: PodEvent) => void,
): Promise<() => void> => {
  const options = await tlsOptions();
  const path = `/api/v1/namespaces/${namespace}/pods?watch=true&allowWatchBookmarks=false`;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`${server()}${path}`, options, (response) => {
      let incompleteLine = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const at = performance.now();
        const lines = (incompleteLine + chunk).split('\n');
        incompleteLine = lines.pop() ?? '';
        for (const line of lines) {
          const event: {
            type: string;
            object: {
              metadata: { name: string; labels?: Record<string, string> };
              status?: { phase?: string };
            };
          } = JSON.parse(line);
          const { metadata, status } = event.object;
          onEvent({
            at,
            type: event.type,
            name: metadata.name,
            labels: metadata.labels ?? {},
            phase: status?.phase ?? '',
          });
        }
      });
      // Stopping the watch aborts its response, which then emits an error.
      response.on('error', () => {});
      resolve(() => request.destroy());
    });
    request.on('error', reject);
    request.end();
  });
};

/** The writes that the API server has counted since it started, as `writesIn` sums them. */
export const apiWrites = async (): Promise<ApiWrites> => writesIn(await call('GET', '/metrics'));
